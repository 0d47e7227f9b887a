package io.kubemirror.history;

import module java.base;

import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * Gives a process a clock that is wrong by the duration in a file, and connections that are full
 * soon: those of the loopback device take megabytes, so that no client would be late.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("test.clock")
class ProcessBeans {

    /** In bytes. */
    private static final int SEND_BUFFER = 4_096;

    @Bean
    @Primary
    InstantSource clockOfFile(@Value("${test.clock}") Path file) {
        return () -> InstantSource.system().instant().plus(read(file));
    }

    @Bean
    WebServerFactoryCustomizer<JettyServletWebServerFactory> smallBuffers() {
        return factory ->
                factory.addServerCustomizers(
                        server -> {
                            for (Connector connector : server.getConnectors()) {
                                if (connector instanceof ServerConnector tcp) {
                                    tcp.setAcceptedSendBufferSize(SEND_BUFFER);
                                }
                            }
                        });
    }

    private static Duration read(Path file) {
        try {
            return Duration.parse(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets by how much the clock is wrong from now on. */
    static void set(Path file, Duration error) {
        try {
            Path next = Files.writeString(file.resolveSibling("next.clock"), error.toString());
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Adds this class to a directory of classes, and returns the property that makes a process use
     * it.
     */
    static String install(Path classes, Path file) throws IOException {
        String name = ProcessBeans.class.getName().replace('.', '/') + ".class";
        Path target = classes.resolve(name);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        try (InputStream in = ProcessBeans.class.getResourceAsStream("/" + name)) {
            Files.write(target, Objects.requireNonNull(in).readAllBytes());
        }
        set(file, Duration.ZERO);
        return "test.clock=" + file;
    }
}
