package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.RealApiServer;
import io.kubemirror.testground.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Both sides keep next to nothing of the past, and one type cannot be listed at all. */
@WithApiServer(
        own = true,
        flags = {
            "--etcd-compaction-interval=500ms",
            "--feature-gates=ListFromCacheSnapshot=false",
            "--watch-cache-sizes=secrets#0"
        })
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(60)
class ForgetfulParityTest {

    private final AtomicInteger number = new AtomicInteger();
    private final Ground ground;

    ForgetfulParityTest(ApiServer server) {
        assumeThat(server).as("a server with nothing in it").isInstanceOf(RealApiServer.class);
        World.fillWithMoons(server);
        ground = Ground.forgetting(server);
    }

    @AfterAll
    void close() {
        ground.close();
    }

    static List<Story> stories() {
        return Forgetful.all();
    }

    @ParameterizedTest
    @MethodSource("stories")
    void both_sides_say_the_same(Story story) {
        try (Stage stage = new Stage(ground, "story-" + number.incrementAndGet())) {
            story.plot().accept(stage);
            assertThat(stage.mirrored()).isEqualTo(stage.genuine());
        }
    }
}
