package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.containers.ContainerServer;
import io.micrometer.core.instrument.MeterRegistry;

import jakarta.servlet.ServletInputStream;

import okio.BufferedSink;
import okio.Okio;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockHttpServletRequest;

/** A client that sends next to nothing does not hold the memory of its request. */
class ClientContentTest {

    private static final long SECOND = 1_000_000_000;

    private final AtomicLong now = new AtomicLong();

    /** The body of a client that sends so many bytes each second. */
    private ClientContent content(int length, int rate) throws Rejection, IOException {
        ServletInputStream body =
                new DelegatingServletInputStream(InputStream.nullInputStream()) {
                    private int left = length;

                    @Override
                    public int read(byte[] buffer, int offset, int most) {
                        now.addAndGet(SECOND);
                        int count = Math.min(Math.min(rate, most), left);
                        left -= count;
                        return count == 0 ? -1 : count;
                    }
                };
        MockHttpServletRequest request =
                new MockHttpServletRequest() {
                    @Override
                    public long getContentLengthLong() {
                        return length;
                    }

                    @Override
                    public ServletInputStream getInputStream() {
                        return body;
                    }
                };
        return Objects.requireNonNull(ClientContent.of(request, () -> {}, now::get));
    }

    @Test
    void large_body_that_arrives_too_slowly_is_refused_after_a_minute() throws Exception {
        ClientContent content = content(100_000_000, (int) ClientMemory.MIN_RATE / 2);

        assertThatThrownBy(() -> content.writeTo(Okio.buffer(Okio.blackhole())))
                .isInstanceOf(IOException.class);

        Rejection refusal = catchThrowableOfType(Rejection.class, content::requireWhole);
        assertThat(refusal.reply().code()).isEqualTo(408);
        assertThat(now.get())
                .isBetween(2 * ClientMemory.GRACE, 2 * ClientMemory.GRACE + 4 * SECOND);
    }

    @Test
    void large_body_may_take_longer_if_the_server_reads_slowly() throws Exception {
        int length = 100 * (int) ClientMemory.MIN_RATE;
        ClientContent content = content(length, (int) ClientMemory.MIN_RATE);
        AtomicLong written = new AtomicLong();

        OutputStream slow =
                new OutputStream() {
                    @Override
                    public void write(int one) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int count) {
                        written.addAndGet(count);
                        now.addAndGet(60 * SECOND);
                    }
                };
        try (BufferedSink sink = Okio.buffer(Okio.sink(slow))) {
            content.writeTo(sink);
        }

        content.requireWhole();
        assertThat(written).hasValue(length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 16000",
                "Content-Length: 1000000000",
                "Transfer-Encoding: chunked"
            })
    void client_that_sends_too_slowly_is_told_so_and_disconnected(String framing) throws Exception {
        try (ContainerServer server =
                        ContainerServer.alone().on("/x", (_, in, _) -> in.readAllBytes());
                ConfigurableApplicationContext kubemirror =
                        ApplicationLauncher.with(
                                LongSupplier.class,
                                () -> System.nanoTime() + now.get(),
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.resources[0].resource=configmaps",
                                "kubemirror.pass-through.mode=client");
                RawClient client = RawClient.to(ApplicationLauncher.port(kubemirror))) {
            client.send(
                    "POST /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer invented\r\n"
                            + framing
                            + "\r\n\r\n");
            WaitLimit.until(() -> memory(kubemirror) >= PassThrough.CHARGE);

            WaitLimit.until(
                    () -> {
                        boolean answered = client.hasInput();
                        if (!answered) {
                            now.addAndGet(ClientMemory.GRACE);
                            client.send("1\r\nx\r\n");
                        }
                        return answered;
                    });

            assertThat(client.head()).contains("HTTP/1.1 408 Request Timeout", "Connection: close");
            assertThat(client.untilClosed()).contains("fewer than 16384 bytes per second");
            WaitLimit.until(() -> memory(kubemirror) < PassThrough.CHARGE);
        }
    }

    private static double memory(ConfigurableApplicationContext kubemirror) {
        return kubemirror
                .getBean(MeterRegistry.class)
                .get("kubemirror.memory.used")
                .tag("part", "clients")
                .gauge()
                .value();
    }
}
