# Files embedded in the binary: each becomes a string_view of `namespace maejin::embedded`.
function(maejin_embed name file)
  set(out ${CMAKE_BINARY_DIR}/generated/embedded/${name}.h)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DIN=${CMAKE_SOURCE_DIR}/${file} -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${CMAKE_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake VERBATIM)
  target_sources(maejin_core PRIVATE ${out})
endfunction()

maejin_embed(openapi_yaml openapi.yaml)
maejin_embed(snippet_nginx_conf src/cli/snippets/nginx.conf)
maejin_embed(snippet_njs_conf src/cli/snippets/njs.conf)
maejin_embed(snippet_njs_js src/cli/snippets/njs.js)
maejin_embed(snippet_caddyfile src/cli/snippets/Caddyfile)
maejin_embed(snippet_traefik_yaml src/cli/snippets/traefik.yaml)
maejin_embed(snippet_envoy_yaml src/cli/snippets/envoy.yaml)
maejin_embed(snippet_haproxy_cfg src/cli/snippets/haproxy.cfg)
maejin_embed(snippet_haproxy_lua src/cli/snippets/haproxy.lua)
maejin_embed(snippet_apache_conf src/cli/snippets/apache.conf)
maejin_embed(snippet_apache_lua src/cli/snippets/apache.lua)
maejin_embed(snippet_rules_lua src/cli/snippets/rules.lua)
maejin_embed(snippet_maejin_filter_java src/cli/snippets/MaejinFilter.java)
maejin_embed(snippet_maejin_gate_java src/cli/snippets/MaejinGate.java)
maejin_embed(snippet_express_mjs src/cli/snippets/express.mjs)
maejin_embed(snippet_worker_mjs src/cli/snippets/worker.mjs)
foreach(kind confirmed refunded cancelled)
  foreach(language ko en)
    maejin_embed(mail_${kind}_${language} src/cli/mail/templates/${kind}.${language}.txt)
  endforeach()
endforeach()

# The migrations of a store, in the order of their names: constant[i] leads from version i to i + 1.
function(maejin_embed_schema folder out_name constant)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.sql)
  list(SORT files)
  set(out ${CMAKE_BINARY_DIR}/generated/embedded/${out_name}.h)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DCONSTANT=${constant} -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_schema.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_schema.cmake VERBATIM)
  target_sources(maejin_core PRIVATE ${out})
endfunction()

maejin_embed_schema(src/adapters/embedded/schema schema kSchema)
maejin_embed_schema(src/adapters/mysql/schema mysql_schema kMysqlSchema)

# Every scripts/NAME.lua becomes maejin::redis::scripts::NAME.
function(maejin_embed_scripts folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.lua)
  set(out ${CMAKE_BINARY_DIR}/generated/embedded/redis_scripts.h)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUT=${out} -P ${CMAKE_SOURCE_DIR}/cmake/embed_scripts.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_scripts.cmake VERBATIM)
  target_sources(maejin_core PRIVATE ${out})
endfunction()

maejin_embed_scripts(src/adapters/redis/scripts)
