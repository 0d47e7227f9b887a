package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** How the API ends (IN-6). */
class ShutdownTest {

    /** Well below the 30 seconds for which the web server would wait for a watch. */
    @Test
    @Timeout(20)
    void open_watches_end_cleanly_when_the_application_does() {
        ServedMirrors served = ServedMirrors.golden();
        List<WatchClient> watches =
                Stream.generate(
                                () ->
                                        served.client()
                                                .watch("/api/v1/pods?watch=1&resourceVersion=110"))
                        .limit(20)
                        .toList();
        served.close();
        watches.forEach(WatchClient::expectCleanEnd);
    }

    @Test
    void no_watch_begins_when_the_application_ends() throws Rejection {
        OpenWatches open = new OpenWatches();
        open.start();
        Ending ending = open.add();
        open.stop();
        assertThat(ending.unlessRequested(() -> "more")).isEmpty();
        Rejection rejection = catchThrowableOfType(Rejection.class, open::add);
        assertThat(rejection.reply().code()).isEqualTo(429);
        assertThat(rejection.reply().headers())
                .containsEntry("Retry-After", "5")
                .containsEntry("Connection", "close");
        assertThat(new String(rejection.reply().body(), StandardCharsets.UTF_8))
                .contains("shutting down");
    }
}
