package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.server.AbstractConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Tests what is logged about connections that cannot be accepted. */
@ExtendWith(OutputCaptureExtension.class)
class AcceptFailuresTest {

    private static final String LINE =
            "Cannot accept connections: Too many open files; raise the limit";

    private final AtomicLong now = new AtomicLong();
    private final AcceptFailures failures = new AcceptFailures(now::get).installed();

    @AfterEach
    void remove() {
        failures.destroy();
    }

    @Test
    void too_many_open_files_is_logged_once_a_minute_with_the_fix(CapturedOutput output) {
        for (int i = 0; i < 60; i++) {
            fail(new IOException("Too many open files"));
            now.addAndGet(Duration.ofSeconds(1).toNanos() - 1);
        }
        assertThat(output).containsOnlyOnce(LINE).contains("ulimit -n").doesNotContain("\tat ");

        now.set(Duration.ofMinutes(1).toNanos());
        fail(new IOException("Too many open files"));
        assertThat(output.getOut().split(LINE, -1)).hasSize(3);
    }

    @Test
    void other_jetty_messages_are_logged_unchanged(CapturedOutput output) {
        fail(new IllegalStateException("a bug"));
        LoggerFactory.getLogger(getClass()).warn("ours", new IOException("elsewhere"));

        assertThat(output)
                .contains("IllegalStateException: a bug", "IOException: elsewhere", "\tat ")
                .doesNotContain("Cannot accept connections");
    }

    private static void fail(Exception failure) {
        LoggerFactory.getLogger(AbstractConnector.class).warn("Accept Failure", failure);
    }
}
