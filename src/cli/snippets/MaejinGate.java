// maejin in front of a Java site, for Java 17 and later; needs no library. Passes are verified here: the room
// needs verify: "offline". MaejinFilter.java (maejin snippet spring) calls it for every request.
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Decides on one request; thread-safe. */
public final class MaejinGate {
    public String maejin = "{maejin}"; // as this server reaches it; it trusts this server as a proxy
    public String wait = "{public_url}"; // maejin's address as browsers see it; "": this site's own host
    public String room = "{room}";
    public String protect = "{protect}"; // only below this path
    public List<String> exempt = List.of({exempt_list}); // but not below these
    public List<String> exemptMethods = List.of({method_list});
    public List<String> networks = List.of({network_list}); // their visitors do not wait
    public List<String> crawlers = List.of({crawler_list}); // parts of the User-Agent; a visitor can forge it
    public String onGateError = "{on_error}"; // "admit" or "hold", while the keys of maejin were never read

    /** The request as the browser sees it: the path as sent, and the query without its mark, or null. */
    public record Asked(String method, String scheme, String host, String path, String query, String address,
                        Map<String, String> headers) {
        String header(String name) {
            return headers.getOrDefault(name, "");
        }

        String url() {
            return scheme + "://" + host + path + (query == null ? "" : "?" + query);
        }
    }

    /** Status 0: the request passes, and `pass` is the visitor's, or null. Otherwise the answer. */
    public record Decision(int status, Map<String, String> headers, String body, String pass) {
        public boolean passes() {
            return status == 0;
        }
    }

    private record Keys(Map<String, PublicKey> byId, long readAt) {}

    private record Revoked(Set<String> ids, String etag, long readAt) {}

    // A path that gateways and shops may read in different ways is always behind the gate.
    private static final Pattern ODD =
            Pattern.compile("//|/\\.\\.?(/|$)|%2e|%2f|%5c|\\\\|;|%3b|#|%23", Pattern.CASE_INSENSITIVE);
    private static final Base64.Decoder BASE64 = Base64.getUrlDecoder();

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1))
            .version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER).build();
    private volatile Keys keys = new Keys(Map.of(), 0);
    private volatile Revoked revoked = new Revoked(Set.of(), "", 0);

    public Decision decide(Asked asked) {
        if (isFree(asked)) return pass(null);
        if (hasCode(asked.query())) return exchange(asked);
        String pass = passIn(asked);
        if (!pass.isEmpty() && admits(pass)) return pass(pass);
        if (keys.byId().isEmpty()) readKeys();
        if (keys.byId().isEmpty()) return onGateError.equals("admit") ? pass(null) : hold();
        String origin = asked.scheme() + "://" + asked.host();
        String target = URLEncoder.encode(asked.url(), StandardCharsets.UTF_8).replace("+", "%20");
        String to = (wait.isEmpty() ? origin : wait) + "/wait/" + room + "?return=" + target;
        if (!isScript(asked)) return answer(303, Map.of("Location", to), "");
        return answer(401, Map.of("Content-Type", "application/problem+json"),
                "{\"status\":401,\"code\":\"wait-required\",\"title\":\"Turn required\",\"waitUrl\":\"" + to
                        + "\"}");
    }

    /** The shop ends a session with the answer header Maejin-Session: end. */
    public void end(String pass) {
        try {
            HttpRequest request = to("/api/v1/rooms/" + room + "/entries/me").header("X-Maejin-Pass", pass)
                    .DELETE().build();
            client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
        } catch (IllegalArgumentException malformed) {
            // No header can carry it, so it is no pass.
        }
    }

    private boolean isFree(Asked asked) {
        String agent = asked.header("user-agent").toLowerCase(Locale.ROOT);
        if (exemptMethods.contains(asked.method())) return true;
        if (networks.stream().anyMatch(network -> isWithin(asked.address(), network))) return true;
        if (crawlers.stream().anyMatch(each -> agent.contains(each.toLowerCase(Locale.ROOT)))) return true;
        if (ODD.matcher(asked.path()).find()) return false;
        String read = decoded(asked.path().replace("+", "%2B"));
        // The routes of some shops ignore the case of letters.
        boolean isProtected = isBelow(read.toLowerCase(Locale.ROOT), protect.toLowerCase(Locale.ROOT));
        return !isProtected || exempt.stream().anyMatch(prefix -> isBelow(read, prefix));
    }

    private Decision exchange(Asked asked) {
        try {
            String uri = asked.path() + "?" + asked.query();
            HttpRequest request = to("/gate/return?room=" + room).header("X-Forwarded-Proto", asked.scheme())
                    .header("X-Forwarded-Host", asked.host()).header("X-Forwarded-Uri", uri).build();
            HttpResponse<Void> said = client.send(request, HttpResponse.BodyHandlers.discarding());
            if (said.statusCode() >= 500) return hold();
            Map<String, String> headers = new HashMap<>();
            headers.put("Referrer-Policy", "no-referrer");
            // A code that was used or has expired: the visitor's cookie decides.
            headers.put("Location", asked.scheme() + "://" + asked.host() + protect);
            if (said.statusCode() == 303) {
                headers.put("Location", said.headers().firstValue("Location").orElse(protect));
                said.headers().firstValue("Set-Cookie").ifPresent(each -> headers.put("Set-Cookie", each));
            }
            return answer(303, headers, "");
        } catch (IOException | IllegalArgumentException unavailable) {
            return hold();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return hold();
        }
    }

    private boolean admits(String text) {
        try {
            String[] parts = text.split("\\.", -1);
            if (parts.length != 3) return false;
            Map<?, ?> head = object(parts[0]);
            if (!"ES256".equals(head.get("alg"))) return false;
            long age = System.currentTimeMillis() - keys.readAt();
            if ((!keys.byId().containsKey(head.get("kid")) && age > 1000) || age > 300_000) readKeys();
            PublicKey key = keys.byId().get(head.get("kid"));
            if (key == null) return false;
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initVerify(key);
            signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            if (!signature.verify(BASE64.decode(parts[2]))) return false;
            if (System.currentTimeMillis() - revoked.readAt() > 2000) readRevoked();
            Map<?, ?> pass = object(parts[1]);
            boolean current = ("room:" + room).equals(pass.get("aud"))
                    && pass.get("exp") instanceof Double exp && exp * 1000 > System.currentTimeMillis();
            return current && !revoked.ids().contains(pass.get("jti"));
        } catch (GeneralSecurityException | RuntimeException invalid) {
            return false;
        }
    }

    // Both keep the last answer while maejin does not answer.
    private synchronized void readKeys() {
        if (System.currentTimeMillis() - keys.readAt() < 100) return;
        Map<String, PublicKey> read = new HashMap<>();
        try {
            HttpResponse<String> said = client.send(to("/.well-known/jwks.json").build(),
                    HttpResponse.BodyHandlers.ofString());
            for (Object each : (List<?>) ((Map<?, ?>) new Json(said.body()).value()).get("keys")) {
                Map<?, ?> jwk = (Map<?, ?>) each;
                if ("P-256".equals(jwk.get("crv"))) read.put((String) jwk.get("kid"), keyOf(jwk));
            }
        } catch (IOException | GeneralSecurityException | RuntimeException unavailable) {
            read.clear();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        keys = new Keys(read.isEmpty() ? keys.byId() : Map.copyOf(read), System.currentTimeMillis());
    }

    private synchronized void readRevoked() {
        Revoked old = revoked;
        if (System.currentTimeMillis() - old.readAt() < 100) return;
        revoked = new Revoked(old.ids(), old.etag(), System.currentTimeMillis());
        try {
            HttpRequest.Builder request = to("/api/v1/rooms/" + room + "/revocations");
            if (!old.etag().isEmpty()) request.header("If-None-Match", old.etag());
            HttpResponse<String> said = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (said.statusCode() != 200) return;
            Set<String> ids = new HashSet<>();
            Map<?, ?> list = (Map<?, ?>) new Json(said.body()).value();
            for (Object id : (List<?>) list.get("revoked")) ids.add((String) id);
            String etag = said.headers().firstValue("ETag").orElse("");
            revoked = new Revoked(ids, etag, System.currentTimeMillis());
        } catch (IOException | RuntimeException unavailable) {
            return;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(maejin + path)).timeout(Duration.ofSeconds(2));
    }

    private static PublicKey keyOf(Map<?, ?> jwk) throws GeneralSecurityException {
        AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
        curve.init(new ECGenParameterSpec("secp256r1"));
        ECPoint point = new ECPoint(new BigInteger(1, BASE64.decode((String) jwk.get("x"))),
                new BigInteger(1, BASE64.decode((String) jwk.get("y"))));
        return KeyFactory.getInstance("EC")
                .generatePublic(new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class)));
    }

    private String passIn(Asked asked) {
        String name = (asked.scheme().equals("https") ? "__Host-" : "") + "maejin-" + room + "=";
        for (String each : asked.header("cookie").split("; *"))
            if (each.startsWith(name)) return each.substring(name.length());
        return asked.header("x-maejin-pass");
    }

    // A script cannot follow a redirect to a page.
    private static boolean isScript(Asked asked) {
        String mode = asked.header("sec-fetch-mode");
        String accept = asked.header("accept");
        if (asked.header("x-requested-with").equals("XMLHttpRequest")) return true;
        if (!mode.isEmpty() && !mode.equals("navigate")) return true;
        return accept.contains("json") && !accept.contains("text/html");
    }

    private static boolean isBelow(String path, String prefix) {
        String plain = prefix.replaceAll("/+$", "");
        return path.equals(plain) || path.startsWith(plain + "/");
    }

    // The networks and addresses are numbers: no name is looked up.
    private static boolean isWithin(String address, String network) {
        try {
            String[] parts = network.split("/");
            byte[] mine = InetAddress.getByName(address).getAddress();
            byte[] theirs = InetAddress.getByName(parts[0]).getAddress();
            if (mine.length != theirs.length) return false;
            int kept = parts.length > 1 ? Integer.parseInt(parts[1]) : theirs.length * 8;
            int drop = theirs.length * 8 - kept;
            BigInteger base = new BigInteger(1, theirs).shiftRight(drop);
            return new BigInteger(1, mine).shiftRight(drop).equals(base);
        } catch (IOException | NumberFormatException malformed) {
            return false;
        }
    }

    private static boolean hasCode(String query) {
        String name = "maejin_return=";
        return query != null && Arrays.stream(query.split("&"))
                .anyMatch(each -> each.startsWith(name) && each.length() > name.length());
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return text;
        }
    }

    private static Map<?, ?> object(String part) {
        return (Map<?, ?>) new Json(new String(BASE64.decode(part), StandardCharsets.UTF_8)).value();
    }

    private static Decision pass(String pass) {
        return new Decision(0, Map.of(), "", pass);
    }

    private static Decision hold() {
        return answer(503, Map.of("Retry-After", "5"), "Please try again in a moment.\n");
    }

    private static Decision answer(int status, Map<String, String> headers, String body) {
        Map<String, String> all = new HashMap<>(headers);
        all.put("Cache-Control", "no-store");
        return new Decision(status, all, body, null);
    }

    /** Reads JSON: objects as Map, arrays as List, numbers as Double. Throws RuntimeException. */
    private static final class Json {
        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            char first = next();
            if (first == '{') return members();
            if (first == '[') return elements();
            if (first == '"') return string();
            int from = at;
            while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(from, at);
            if (word.equals("null")) return null;
            if (word.equals("true") || word.equals("false")) return word.equals("true");
            return Double.valueOf(word);
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private Map<String, Object> members() {
            Map<String, Object> members = new HashMap<>();
            at++;
            while (next() != '}') {
                String name = string();
                if (next() != ':') throw new IllegalArgumentException("a colon is missing");
                at++;
                members.put(name, value());
                if (next() == ',') at++;
            }
            at++;
            return members;
        }

        private List<Object> elements() {
            List<Object> elements = new ArrayList<>();
            at++;
            while (next() != ']') {
                elements.add(value());
                if (next() == ',') at++;
            }
            at++;
            return elements;
        }

        private String string() {
            StringBuilder read = new StringBuilder();
            if (next() != '"') throw new IllegalArgumentException("a string is missing");
            for (at++; text.charAt(at) != '"'; at++) {
                char each = text.charAt(at);
                if (each == '\\') {
                    each = text.charAt(++at);
                    if (each == 'u') {
                        each = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else if ("bfnrt".indexOf(each) >= 0) {
                        each = "\b\f\n\r\t".charAt("bfnrt".indexOf(each));
                    }
                }
                read.append(each);
            }
            at++;
            return read.toString();
        }
    }
}
