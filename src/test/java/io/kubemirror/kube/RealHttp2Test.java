package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
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
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Tests what depends on the version of HTTP, over the one that API servers use with TLS. */
@WithApiServer(secure = true)
@Timeout(60)
class RealHttp2Test {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final ApiServer server;
    @TempDir private Path directory;

    RealHttp2Test(ApiServer server) {
        this.server = server;
    }

    /** Nodes do not change. */
    @Test
    void regular_silence_timeout_applies_after_the_initial_events() throws Exception {
        try (WatchStream watch = open(SHORT, LONG)) {
            assertThat(watch.next()).isInstanceOf(WatchFrame.Bookmark.class);
            assertThat(watch.next())
                    .isEqualTo(
                            new WatchFrame.Broken(
                                    "the server did not respond in time", BrokenKind.SILENT));
        }
    }

    private WatchStream open(Duration silence, Duration initialSilence) throws Exception {
        ResourceCollection nodes =
                new ResourceCollection(
                        ServedTypes.NODES,
                        Selection.everything(),
                        ObjectShape.plain(),
                        Extent.WHOLE);
        return Results.value(
                client().watch(
                                WatchRequests.withBookmarks(
                                        nodes, null, true, LONG, silence, initialSilence)));
    }

    private KubeClient client() throws Exception {
        Path file =
                Files.writeString(directory.resolve("config"), server.kubeconfig().orElseThrow());
        return KubeClient.connect(
                new UpstreamSettings(null, file.toString(), null),
                ProcessEnvironment.ofProcess(),
                ClientSettings.defaults("test"));
    }
}
