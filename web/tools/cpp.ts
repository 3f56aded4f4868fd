// The pages as C++: string literals, so that the compiler reads them quickly and the linker shares nothing by accident.
export interface WebFile {
  name: string;
  language: string;
  type: string;
  etag: string;
  plain: Buffer;
  gzip: Buffer;
  brotli: Buffer;
}

const escapes = Array.from({ length: 256 }, (_, byte) => {
  const printable = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
  return printable ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
});

function literal(bytes: Buffer): string {
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += 4096) {
    lines.push(`"${Array.from(bytes.subarray(start, start + 4096), (byte) => escapes[byte]).join('')}"`);
  }
  return lines.length === 0 ? '""' : lines.join('\n');
}

export function cppSource(files: WebFile[]): string {
  const rows = files.map(
    (file) =>
      `    {"${file.name}", "${file.language}", "${file.type}", "\\"${file.etag}\\"",\n` +
      `     {${literal(file.plain)}, ${file.plain.length}},\n     {${literal(file.gzip)}, ${file.gzip.length}},\n` +
      `     {${literal(file.brotli)}, ${file.brotli.length}}},`,
  );
  return `// Written by web/build.ts from web/.\n#include "http/pages/web_files.h"\n\nnamespace maejin::http {\nnamespace {\n
constexpr WebFile kFiles[] = {\n${rows.join('\n')}\n};\n
}  // namespace\n\nstd::span<const WebFile> WebFiles() { return kFiles; }\n\n}  // namespace maejin::http\n`;
}
