package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;

/** Tests what depends on the version of HTTP, over the one that API servers use with TLS. */
@WithApiServer(secure = true)
@Timeout(60)
class RealHttp2Test {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final ApiServer server;

    RealHttp2Test(ApiServer server) {
        this.server = server;
    }

    /** Nodes do not change. */
    @Test
    void regular_silence_timeout_applies_after_the_initial_events() {
        try (WatchStream watch = open(SHORT, LONG)) {
            assertThat(watch.next()).isInstanceOf(WatchFrame.Bookmark.class);
            assertThat(watch.next())
                    .isEqualTo(
                            new WatchFrame.Broken(
                                    "the server did not respond in time", BrokenKind.SILENT));
        }
    }

    private WatchStream open(Duration silence, Duration initialSilence) {
        ResourceCollection nodes = UpstreamSamples.plain(ServedTypes.NODES);
        return Results.value(
                server.connect()
                        .watch(
                                WatchRequests.withBookmarks(
                                        nodes, null, true, LONG, silence, initialSilence)));
    }
}
