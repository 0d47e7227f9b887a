package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WritePairs;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.micrometer.core.instrument.MeterRegistry;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Many clients write through kubemirror to a real API server, and read at once: no read shows an
 * object as it was before a write. The number of pairs is {@code writes.pairs}.
 */
@WithApiServer(secure = true)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(1800)
class RealWritesTest {

    private static final int CLIENTS = 50;
    private static final int PAIRS = Integer.getInteger("writes.pairs", 2_000);

    @AutoClose private final ConfigurableApplicationContext kubemirror;
    private final String token;
    private final String namespace;

    RealWritesTest(ApiServer server, TestNamespace namespace, @TempDir Path directory)
            throws IOException {
        String config = server.kubeconfig().orElseThrow();
        Path file = Files.writeString(directory.resolve("config"), config);
        this.namespace = namespace.name();
        kubemirror =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=",
                        "kubemirror.upstream.kubeconfig=" + file,
                        "kubemirror.resources[0].resource=configmaps",
                        "kubemirror.pass-through.mode=client",
                        // The API server of the tests has no review API.
                        "kubemirror.pass-through.anonymous-reads=true");
        token = RealPassThroughTest.token(config);
    }

    private RestClient client() {
        return ApplicationLauncher.api(kubemirror).withToken(token);
    }

    @BeforeAll
    void awaitMirror() {
        WaitLimit.until(() -> client().get("/api/v1/configmaps").code() == 200);
    }

    @Test
    void no_read_is_from_before_a_write() {
        long seed = Long.getLong("writes.seed", new Random().nextLong());
        System.out.println("seed " + seed);
        WritePairs pairs =
                new WritePairs(this::client, "/api/v1/namespaces/" + namespace + "/configmaps");
        pairs.run(CLIENTS, PAIRS, seed);
        System.out.printf(
                "%d pairs, %d from memory; waited: %s%n",
                pairs.pairs(),
                pairs.fromMemory(),
                kubemirror
                        .getBean(MeterRegistry.class)
                        .find("kubemirror.write.waits")
                        .timers()
                        .stream()
                        .map(
                                timer ->
                                        timer.getId().getTag("outcome")
                                                + " "
                                                + timer.count()
                                                + ", mean ms "
                                                + timer.mean(
                                                        java.util.concurrent.TimeUnit.MILLISECONDS))
                        .toList());
        assertThat(pairs.wrong()).as("seed %d", seed).isEmpty();
        assertThat(pairs.pairs()).isGreaterThan(PAIRS / 2);
    }
}
