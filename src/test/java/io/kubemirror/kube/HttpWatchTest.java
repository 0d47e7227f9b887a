package io.kubemirror.kube;

import static io.kubemirror.kube.UpstreamSamples.metadataOf;
import static io.kubemirror.kube.UpstreamSamples.pods;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.sun.net.httpserver.HttpExchange;

import io.kubemirror.model.Revision;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpWatchTest extends RawServerHarness {

    private static final String FRAME =
            "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                    + "\"metadata\":{\"name\":\"web\",\"resourceVersion\":\"7\"}}}\n";
    private static final String END =
            "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                    + "\"metadata\":{\"resourceVersion\":\"9\","
                    + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n";
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofMinutes(5);

    /** Enough for a server on the same machine to answer, however busy that is. */
    private static final Duration PATIENT = Duration.ofSeconds(5);

    private static final WatchRequest PATIENT_WATCH =
            WatchRequests.withBookmarks(pods(), null, false, LONG, LONG, LONG);
    private static final WatchRequest HASTY_WATCH =
            WatchRequests.withBookmarks(pods(), null, false, LONG, SHORT, SHORT);
    private static final WatchFrame SILENCE =
            new WatchFrame.Broken("the server did not respond in time", BrokenKind.SILENT);

    private final Queue<WatchStream> opened = new ConcurrentLinkedQueue<>();

    @AfterEach
    void closeWatches() {
        opened.forEach(WatchStream::close);
    }

    @Test
    void watch_requests_bookmarks_and_no_compression() throws Exception {
        answer(exchange -> stream(exchange).close());

        open(WatchRequests.withBookmarks(pods(), new Revision("77"), false, LONG, LONG, LONG));

        HttpExchange request =
                requestOf(
                        "/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=77");
        assertThat(header(request, "Accept-Encoding")).isEqualTo("identity");
        assertThat(header(request, "Accept")).isEqualTo("application/json");
    }

    @Test
    void metadata_watch_requests_only_partial_object_metadata() throws Exception {
        answer(exchange -> stream(exchange).close());

        open(
                WatchRequests.withBookmarks(
                        metadataOf(UpstreamSamples.PODS),
                        new Revision("77"),
                        false,
                        LONG,
                        LONG,
                        LONG));

        assertThat(header(request(), "Accept"))
                .isEqualTo("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    }

    @Test
    void watch_list_requests_initial_events() throws Exception {
        answer(exchange -> stream(exchange).close());

        open(initial(LONG, LONG));

        requestOf(
                "/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=300"
                        + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    }

    @Test
    void unrequested_gzip_watch_is_decompressed_as_it_arrives() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        answer(
                exchange -> {
                    exchange.getResponseHeaders().add("Content-Encoding", "gzip");
                    OutputStream body = stream(exchange);
                    write(body, gzip(FRAME));
                    await(seen);
                    write(body, gzip(FRAME.replace("ADDED", "MODIFIED")));
                });

        try (WatchStream watch = open()) {
            assertThat(watch.next()).isInstanceOf(WatchFrame.Added.class);
            seen.countDown();
            assertThat(watch.next()).isInstanceOf(WatchFrame.Modified.class);
            assertThat(watch.next()).isEqualTo(new WatchFrame.Ended());
        }
    }

    @Test
    void silence_beyond_the_timeout_breaks_the_watch() throws Exception {
        answerAndHang(FRAME);

        try (WatchStream watch = open(HASTY_WATCH)) {
            assertThat(afterObjects(watch)).isEqualTo(SILENCE);
        }
    }

    @Test
    void rejection_without_its_body_is_still_a_rejection() throws Exception {
        answer(
                exchange -> {
                    exchange.sendResponseHeaders(403, 100);
                    exchange.getResponseBody().flush();
                    hang();
                });

        KubeClient client = client(ClientLimits.of("1", SHORT, 1 << 20));
        // A server that is too slow for a moment gives no answer at all.
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(
                        () ->
                                client.watch(PATIENT_WATCH)
                                        instanceof Result.Failed(Failure.Refused _));
    }

    /** The time is measured by another watch, to which the server never answers. */
    @Test
    void open_watch_can_be_silent_longer_than_the_response_timeout() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        AtomicInteger requests = new AtomicInteger();
        answer(
                exchange -> {
                    if (requests.getAndIncrement() > 0) {
                        hang();
                        return;
                    }
                    OutputStream body = stream(exchange);
                    body.flush();
                    await(late);
                    write(body, FRAME);
                });
        KubeClient client = client(ClientLimits.of("1", PATIENT, 1 << 20));
        try (WatchStream watch = open(client, PATIENT_WATCH)) {
            CompletableFuture<WatchFrame> frame = CompletableFuture.supplyAsync(watch::next);
            assertThat(Results.failure(client.watch(PATIENT_WATCH)))
                    .isInstanceOf(Failure.Unreachable.class);
            late.countDown();

            assertThat(frame.get(1, TimeUnit.MINUTES)).isInstanceOf(WatchFrame.Added.class);
        }
    }

    /**
     * A very old server sends the objects, no bookmark, and nothing from then on
     * (list-watch.md#up-28).
     */
    @Test
    void initial_silence_timeout_breaks_an_incomplete_watch_list() throws Exception {
        answerAndHang(FRAME);

        try (WatchStream watch = open(initial(SHORT, LONG))) {
            assertThat(afterObjects(watch)).isEqualTo(SILENCE);
        }
    }

    @Test
    void regular_silence_timeout_applies_after_the_initial_events() throws Exception {
        answerAndHang(FRAME + END);

        try (WatchStream watch = open(initial(LONG, SHORT))) {
            assertThat(watch.next()).isInstanceOf(WatchFrame.Added.class);
            assertThat(watch.next()).isEqualTo(new WatchFrame.Bookmark(new Revision("9"), true));
            assertThat(watch.next()).isEqualTo(SILENCE);
        }
    }

    private static WatchRequest initial(Duration initialSilence, Duration silence) {
        return WatchRequests.withBookmarks(pods(), null, true, LONG, silence, initialSilence);
    }

    @Test
    void close_from_another_thread_ends_the_wait() throws Exception {
        answer(
                exchange -> {
                    stream(exchange).flush();
                    hang();
                });
        WatchStream watch = open();
        CompletableFuture<WatchFrame> frame = CompletableFuture.supplyAsync(watch::next);

        watch.close();
        watch.close();

        assertThat(frame.get(1, TimeUnit.MINUTES))
                .isEqualTo(new WatchFrame.Broken("closed", BrokenKind.CUT));
    }

    @Test
    void interrupt_ends_the_wait_and_keeps_the_interrupt_flag() throws Exception {
        answerAndHang(FRAME);
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<WatchFrame> frame = new CompletableFuture<>();
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        WatchStream watch = open();
        Thread thread =
                Thread.startVirtualThread(
                        () -> {
                            watch.next();
                            waiting.countDown();
                            frame.complete(watch.next());
                            flag.complete(Thread.currentThread().isInterrupted());
                        });

        assertThat(waiting.await(1, TimeUnit.MINUTES)).isTrue();
        thread.interrupt();

        assertThat(frame.get(1, TimeUnit.MINUTES))
                .isEqualTo(new WatchFrame.Broken("interrupted", BrokenKind.CUT));
        assertThat(flag.get(1, TimeUnit.MINUTES)).isTrue();
    }

    /** The first frame after the objects, which a server that is too slow never sends. */
    private static WatchFrame afterObjects(WatchStream watch) {
        WatchFrame frame = watch.next();
        while (frame instanceof WatchFrame.Added) {
            frame = watch.next();
        }
        return frame;
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await(2, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void answerAndHang(String text) throws IOException {
        answer(
                exchange -> {
                    write(stream(exchange), text);
                    hang();
                });
    }

    private WatchStream open() {
        return open(
                WatchRequests.withBookmarks(pods(), new Revision("1"), false, LONG, LONG, LONG));
    }

    private WatchStream open(WatchRequest request) {
        return open(client(), request);
    }

    /** A server that is too slow for a moment gives no answer at all, and is asked again. */
    private WatchStream open(KubeClient client, WatchRequest request) {
        Result<WatchStream> answer = client.watch(request);
        while (answer instanceof Result.Failed(Failure.Unreachable _)) {
            answer = client.watch(request);
        }
        WatchStream watch = Results.value(answer);
        opened.add(watch);
        return watch;
    }

    private KubeClient client() {
        return client(ClientLimits.usual("1"));
    }
}
