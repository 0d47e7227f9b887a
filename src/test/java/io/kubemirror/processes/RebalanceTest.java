package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

/**
 * Tests replicas behind a Service, which connects each client with any of them: one is added, and
 * one is killed. Clients list once and fail on an error, so none is told to list again.
 */
class RebalanceTest {

    /** Many more need more open files than usual. */
    private static final int WATCHES = Integer.getInteger("rebalance.watches", 400);

    private static final int SHARE = WATCHES / 4;

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final List<KubemirrorProcess> replicas = new CopyOnWriteArrayList<>();
    private final List<Follower> followers = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final ScheduledExecutorService changes = Executors.newSingleThreadScheduledExecutor();
    private volatile boolean stopping;

    @AfterEach
    void stop() {
        stopping = true;
        changes.shutdownNow();
        replicas.forEach(KubemirrorProcess::close);
        server.close();
    }

    @Test
    void clients_continue_without_a_list_when_a_replica_is_added_or_killed() {
        for (int i = 0; i < 3; i++) {
            replicas.add(replica());
        }
        replicas.forEach(KubemirrorProcess::awaitReady);
        String revision =
                replicas.getFirst()
                        .client()
                        .get("/api/v1/pods")
                        .json()
                        .at("/metadata/resourceVersion")
                        .asString();
        for (int i = 0; i < WATCHES; i++) {
            followers.add(new Follower(revision));
            Thread.ofVirtual().start(followers.getLast());
        }
        awaitChange("all-open");
        changeEachSecond();

        KubemirrorProcess fourth = replica().awaitReady();
        replicas.add(fourth);
        report("balanced", () -> awaitShares(fourth));
        awaitChange("balanced");
        report("killed", this::killOne);
    }

    /** As a cluster does: there is no bookmark for a watch before its revision has passed. */
    private void changeEachSecond() {
        AtomicInteger number = new AtomicInteger();
        var _ =
                changes.scheduleAtFixedRate(
                        () -> server.create(pod("a", "busy-" + number.incrementAndGet())),
                        0,
                        1,
                        TimeUnit.SECONDS);
    }

    private void killOne() {
        KubemirrorProcess victim = replicas.removeFirst();
        victim.kill();
        awaitChange("killed");
    }

    private void awaitShares(KubemirrorProcess fourth) {
        WaitLimit.until(
                () -> {
                    assertThat(failure.get()).isNull();
                    return shareOf(fourth) >= 0.9 * SHARE
                            && replicas.stream().allMatch(one -> shareOf(one) <= 1.1 * SHARE);
                });
    }

    private long shareOf(KubemirrorProcess replica) {
        return followers.stream().filter(one -> one.replica == replica).count();
    }

    /** Waits until each client has a change. */
    private void awaitChange(String name) {
        long revision = JsonTrees.revision(server.create(pod("a", name)));
        WaitLimit.until(
                () -> {
                    assertThat(failure.get()).isNull();
                    return followers.stream().allMatch(one -> one.revision >= revision);
                });
    }

    private void report(String what, Runnable action) {
        long begin = System.nanoTime();
        action.run();
        System.out.printf(
                "%s: %.1f s, %s%n",
                what,
                (System.nanoTime() - begin) / 1e9,
                replicas.stream().map(this::shareOf).toList());
    }

    /** Frequent bookmarks, so that clients may be sent elsewhere after five seconds. */
    private KubemirrorProcess replica() {
        return KubemirrorProcess.withHeap(
                "256m",
                KubemirrorProcess.pods(
                        server.url(),
                        "kubemirror.watches.bookmark-interval=1s",
                        "kubemirror.watches.rebalance-above=" + SHARE));
    }

    /** A client that follows the pods with one watch after the other. */
    private final class Follower implements Runnable {

        private volatile long revision;
        private volatile KubemirrorProcess replica;

        Follower(String revision) {
            this.revision = Long.parseLong(revision);
            this.replica = replicas.getFirst();
        }

        @Override
        public void run() {
            try {
                while (!stopping) {
                    replica = replicas.get(ThreadLocalRandom.current().nextInt(replicas.size()));
                    follow();
                }
            } catch (Throwable failed) {
                failure.compareAndSet(null, failed);
            }
        }

        private void follow() {
            String path = "/api/v1/pods?watch=1&allowWatchBookmarks=1&resourceVersion=" + revision;
            try (RawClient client = RawClient.to(replica.url().getPort()).ask(path)) {
                assertThat(client.head().getFirst()).endsWith("200 OK");
                StringBuilder lines = new StringBuilder();
                for (byte[] chunk = client.chunk(); chunk.length > 0; chunk = client.chunk()) {
                    lines.append(new String(chunk, StandardCharsets.UTF_8));
                    take(lines);
                }
            } catch (IOException | UncheckedIOException broken) {
                // The replica was killed.
            } catch (AssertionError failed) {
                if (!(failed.getCause() instanceof IOException)) {
                    throw failed;
                }
            }
        }

        private void take(StringBuilder lines) {
            int end = lines.lastIndexOf("\n") + 1;
            lines.substring(0, end).lines().map(JsonTrees::parse).forEach(this::apply);
            lines.delete(0, end);
        }

        private void apply(JsonNode event) {
            assertThat(event.path("type").asString()).as("%s", event).isNotEqualTo("ERROR");
            long next = JsonTrees.revision(event.path("object"));
            assertThat(next).isGreaterThanOrEqualTo(revision);
            revision = next;
        }
    }
}
