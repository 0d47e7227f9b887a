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

/** What is seen while things happen; one story after another. */
@WithApiServer(own = true)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(60)
class StoryParityTest {

    private final AtomicInteger number = new AtomicInteger();
    private final Ground ground;

    StoryParityTest(ApiServer server) {
        assumeThat(server).as("a server with nothing in it").isInstanceOf(RealApiServer.class);
        World.fill(server);
        ground = Ground.on(server);
    }

    @AfterAll
    void close() {
        ground.close();
    }

    static List<Story> stories() {
        return Stories.all();
    }

    @ParameterizedTest
    @MethodSource("stories")
    void both_sides_show_the_same(Story story) {
        try (Stage stage = new Stage(ground, "story-" + number.incrementAndGet())) {
            story.plot().accept(stage);
            assertThat(stage.mirrored()).isEqualTo(stage.genuine());
        }
    }
}
