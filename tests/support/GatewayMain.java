// A small gateway for tests: MaejinGate decides, and the JDK's own HTTP server and client do the rest.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;

public final class GatewayMain {
    private static final MaejinGate gate = new MaejinGate();
    private static final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", exchange -> answer(exchange, arguments[1]));
        server.start();
    }

    private static void answer(HttpExchange exchange, String shop) throws IOException {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) ->
                headers.put(name.toLowerCase(Locale.ROOT), String.join("; ", values)));
        URI asked = exchange.getRequestURI();
        String method = exchange.getRequestMethod();
        MaejinGate.Decision decision = gate.decide(new MaejinGate.Asked(method, "http", headers.get("host"),
                asked.getRawPath(), asked.getRawQuery(), "127.0.0.1", headers));
        if (!decision.passes()) {
            decision.headers().forEach(exchange.getResponseHeaders()::add);
            send(exchange, decision.status(), decision.body().getBytes(StandardCharsets.UTF_8));
            return;
        }
        byte[] body = exchange.getRequestBody().readAllBytes();
        HttpRequest.BodyPublisher sent = body.length == 0 ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(body);
        HttpRequest request = HttpRequest.newBuilder(URI.create(shop + asked)).method(method, sent).build();
        try {
            HttpResponse<byte[]> said = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            boolean ends = said.headers().firstValue("Maejin-Session").orElse("").equals("end");
            if (ends && decision.pass() != null) gate.end(decision.pass());
            send(exchange, said.statusCode(), said.body());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        boolean empty = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, empty ? -1 : body.length);
        if (!empty) exchange.getResponseBody().write(body);
        exchange.close();
    }
}
