package io.kubemirror.feature.conflate;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.watch.FrameBatch;
import io.kubemirror.api.watch.Watch;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchConnection.WatchSource.NextStep;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.api.watch.WatchService.WatchStart;
import io.kubemirror.api.watch.Watches;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.RandomServer;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests conflated watches on seeded random histories: slow clients of a mirror that keeps hardly
 * any history, that disconnect anywhere and resume (list-watch.md#cw-1 to #cw-6).
 *
 * <p>A failure names its seed; run it alone with {@code -Dconflation.seed}.
 */
class ConflationHistoryTest {

    private static final int HISTORIES = 1_000;
    private static final int STEPS = 150;
    private static final JsonMapper JSON = new JsonMapper();

    private static final List<Selection> SELECTIONS =
            List.of(
                    Selection.everything(),
                    KubeObjects.selection("a", "", ""),
                    KubeObjects.selection("", "n!=1", ""),
                    KubeObjects.selection("a", "n=1", ""));

    private int gaps;
    private int resumedWithinGaps;
    private int resumedAtBookmarks;

    @Test
    void clients_converge_to_the_store_without_going_back_and_without_410() throws Exception {
        RandomServer.runAll(HISTORIES, "conflation.seed", seed -> new History(seed).run());
        if (Long.getLong("conflation.seed") == null) {
            assertThat(gaps).as("gaps").isGreaterThan(HISTORIES);
            assertThat(resumedWithinGaps).as("resumed within a gap").isGreaterThan(HISTORIES / 10);
            assertThat(resumedAtBookmarks).as("resumed at a bookmark").isGreaterThan(HISTORIES);
        }
    }

    /** A server that changes at random, a mirror of it, and clients of the mirror. */
    private final class History {

        private final Random random;
        private final Mirror mirror;
        private final RandomServer server;
        private final MemoryBudget budget = MemoryBudget.ofProcess(1 << 20);
        private final List<Client> clients = new ArrayList<>();

        History(long seed) {
            random = new Random(seed);
            int most = random.nextBoolean() ? 8 : 64;
            mirror = Mirrors.pods(new Window(2, most, Duration.ofSeconds(75), 1 << 20));
            server = new RandomServer(random, Mirrors.writer(mirror, () -> 0), 4);
        }

        void run() {
            for (int i = 0; i < 4; i++) {
                clients.add(new Client(SELECTIONS.get(i), random.nextInt(5, 60)));
            }
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(10) == 0) {
                    server.bookmark();
                } else {
                    server.change();
                }
                if (random.nextInt(40) == 0) {
                    server.disconnect();
                } else if (!server.isConnected() && random.nextInt(4) == 0) {
                    server.resynchronize();
                }
                clients.forEach(Client::act);
            }
            server.resynchronize();
            for (Client client : clients) {
                client.catchUp();
                client.watch.end(EndReason.CLOSED);
            }
            assertThat(budget.used()).as("what is charged at the end").isZero();
        }

        private long era() {
            return mirror.position().orElseThrow().cursor().era();
        }

        /** A client that reads, or not, and disconnects. */
        private final class Client {

            private final Selection selection;
            private final int zeal;
            private final SortedMap<String, String> known = new TreeMap<>();
            private Watch watch;
            private long era;

            /** The revision of the last event or bookmark of this stream, 0 for none. */
            private long last;

            private long lastBookmark;

            /** Whether it has been sent everything up to the last revision and nothing later. */
            private boolean isExact;

            /** Whether it knew what the server takes it to know when the stream began. */
            private boolean beganExact;

            /** Whether it has resumed, so that deletions may be of objects that it never knew. */
            private boolean mayRepeatDeletions;

            /** Whether it has been sent nothing since it has resumed. */
            private boolean hasJustResumed;

            Client(Selection selection, int zeal) {
                this.selection = selection;
                this.zeal = zeal;
                this.watch = list();
            }

            void act() {
                int choice = random.nextInt(100);
                if (choice < zeal) {
                    step();
                } else if (choice >= 97) {
                    resume();
                }
            }

            private Watch list() {
                known.clear();
                last = 0;
                lastBookmark = 0;
                beganExact = true;
                mayRepeatDeletions = false;
                hasJustResumed = false;
                isExact = false;
                return watch(Watches.initial(Watches.wanted(mirror, selection), true));
            }

            /** Disconnects, and continues after the last event or the last bookmark. */
            private void resume() {
                watch.end(EndReason.CLOSED);
                boolean atBookmark = random.nextBoolean();
                long after = atBookmark ? lastBookmark : last;
                StartPosition start = mirror.start(new Revision(Long.toString(after)));
                if (lastBookmark == 0
                        || era != era()
                        || !(start instanceof StartPosition.From from)) {
                    watch = list();
                    return;
                }
                beganExact = isExact;
                mayRepeatDeletions = true;
                hasJustResumed = true;
                if (isExact) {
                    resumedAtBookmarks++;
                } else {
                    resumedWithinGaps++;
                }
                last = after;
                watch = watch(Watches.after(Watches.wanted(mirror, selection), from));
            }

            private Watch watch(WatchStart start) {
                era = era();
                return Watches.watch(
                        start,
                        new BatchProperties(DataSize.ofKilobytes(64), 2, Duration.ZERO),
                        new Conflation(start.wanted(), budget, () -> gaps++, () -> {}));
            }

            /** Returns whether it has been sent everything. */
            private boolean step() {
                switch (watch.next()) {
                    case NextStep.Send(FrameBatch batch) -> {
                        for (byte[] frame : batch.frames()) {
                            receive(JSON.readTree(frame));
                        }
                        return false;
                    }
                    case NextStep.Rest _ -> {
                        hasJustResumed = false;
                        return true;
                    }
                    case NextStep.End _ -> {
                        assertThat(era != era() || hasJustResumed).as("ends").isTrue();
                        watch.end(EndReason.CLOSED);
                        watch = list();
                        return false;
                    }
                }
            }

            void catchUp() {
                while (!step()) {
                    // There is more.
                }
                assertThat(known).as("at the end").isEqualTo(stateAt(server.revision()));
            }

            private void receive(JsonNode frame) {
                String type = frame.get("type").asString();
                JsonNode metadata = frame.get("object").get("metadata");
                if (type.equals("ERROR")) {
                    assertThat(era != era() || hasJustResumed).as("error %s", frame).isTrue();
                    return;
                }
                hasJustResumed = false;
                long at = Long.parseLong(metadata.get("resourceVersion").asString());
                if (type.equals("BOOKMARK")) {
                    assertThat(at).as("bookmark").isGreaterThanOrEqualTo(last);
                    assertThat(known).as("at bookmark %d", at).isEqualTo(stateAt(at));
                    last = at;
                    lastBookmark = at;
                    isExact = true;
                    beganExact = true;
                    mayRepeatDeletions = false;
                    return;
                }
                boolean initial = lastBookmark == 0;
                if (!initial) {
                    // Deletions that the client has missed share the revision before the gap.
                    boolean repeated = at == last && type.equals("DELETED");
                    assertThat(at > last || repeated).as("revision of %s", frame).isTrue();
                    last = at;
                    isExact = false;
                }
                apply(type, metadata, at);
            }

            private void apply(String type, JsonNode metadata, long at) {
                String key =
                        metadata.get("namespace").asString()
                                + "/"
                                + metadata.get("name").asString();
                String uid = metadata.get("uid").asString();
                String before = known.get(key);
                boolean repeats = mayRepeatDeletions && type.equals("DELETED") && before == null;
                if (beganExact && !repeats) {
                    assertThat(before != null && before.startsWith(uid + "@"))
                            .as("%s of %s at %d, known as %s", type, key, at, before)
                            .isEqualTo(!type.equals("ADDED"));
                    assertThat(type.equals("ADDED") && before != null)
                            .as("%s is deleted before another one is added", key)
                            .isFalse();
                }
                if (type.equals("DELETED")) {
                    known.remove(key);
                } else {
                    known.put(key, uid + "@" + at);
                }
            }

            private Map<String, String> stateAt(long at) {
                Map<String, String> state = new TreeMap<>();
                server.objectsAt(at).values().stream()
                        .filter(selection::matches)
                        .forEach(
                                object ->
                                        state.put(
                                                object.key().path(),
                                                object.uid() + "@" + object.revision()));
                return state;
            }
        }
    }
}
