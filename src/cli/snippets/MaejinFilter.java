// maejin in a Spring application: a filter in front of everything that waits. The verifier beside it:
// maejin snippet spring MaejinGate.java > MaejinGate.java. Register the filter as a bean, as the first one.
// Spring 6 and Spring Boot 3: write jakarta.servlet instead of javax.servlet.
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.springframework.web.filter.OncePerRequestFilter;

public class MaejinFilter extends OncePerRequestFilter {
    private final MaejinGate gate = new MaejinGate();

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response,
            FilterChain chain) throws ServletException, IOException {
        Map<String, String> headers = new HashMap<>();
        for (String name : Collections.list(request.getHeaderNames()))
            headers.put(name.toLowerCase(Locale.ROOT), request.getHeader(name));
        // Behind a proxy: server.forward-headers-strategy=native makes these the visitor's own.
        String host = request.getServerName() + portOf(request);
        MaejinGate.Decision decision = gate.decide(new MaejinGate.Asked(request.getMethod(),
                request.getScheme(), host, request.getRequestURI(), request.getQueryString(),
                request.getRemoteAddr(), headers));
        if (!decision.passes()) {
            response.setStatus(decision.status());
            decision.headers().forEach(response::addHeader);
            response.getWriter().write(decision.body());
            return;
        }
        chain.doFilter(request, response);
        boolean ends = "end".equals(response.getHeader("Maejin-Session"));
        if (ends && decision.pass() != null) gate.end(decision.pass());
    }

    private static String portOf(HttpServletRequest request) {
        int usual = request.getScheme().equals("https") ? 443 : 80;
        return request.getServerPort() == usual ? "" : ":" + request.getServerPort();
    }
}
