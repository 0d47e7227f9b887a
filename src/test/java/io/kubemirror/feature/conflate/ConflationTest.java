package io.kubemirror.feature.conflate;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.watch.CatchUp;
import io.kubemirror.api.watch.FrameBatch;
import io.kubemirror.api.watch.Watch;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchConnection.WatchSource.NextStep;
import io.kubemirror.api.watch.WatchService.WatchStart;
import io.kubemirror.api.watch.Watches;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Change;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests what a conflated watch sends, step by step, from a history of one change. */
class ConflationTest {

    private static final String GAP = "\"annotations\":{\"kubemirror.io/gap\":\"110\"}";

    private static final Selection ONLY_X = KubeObjects.selection("", "", "metadata.name=x");

    private final Mirror mirror = Mirrors.pods(new Window(1, 1, Duration.ZERO, 1L << 20));
    private final MemoryBudget mirrors = MemoryBudget.ofProcess(8 << 20);
    private final MirrorWriter writer = Mirrors.writer(mirror, new MirrorMemory(mirrors));
    private final List<String> sent = new ArrayList<>();
    private MemoryBudget clients = MemoryBudget.ofProcess(1 << 20);
    private int gaps;
    private int signals;

    ConflationTest() {
        ApiSamples.fillWithGoldenPods(writer);
    }

    @Test
    void client_that_falls_out_of_the_history_gets_the_newest_state_and_the_gap() {
        Watch watch = waiting();
        writer.upsert(ApiSamples.object("a", "z", 120));
        writer.upsert(ApiSamples.object("a", "z", 121));
        writer.upsert(ApiSamples.object("a", "x", 122));

        assertThat(step(watch)).isTrue();

        assertThat(sent).hasSize(3);
        assertThat(sent.get(0)).contains("ADDED", "\"name\":\"z\"", "\"resourceVersion\":\"121\"");
        assertThat(sent.get(1)).contains("MODIFIED", "\"name\":\"x\"", "\"122\"");
        assertThat(sent.get(2)).contains("BOOKMARK", "\"resourceVersion\":\"122\"", GAP);
        assertThat(gaps).isOne();
    }

    @Test
    void deletion_is_reported_once_and_only_if_the_client_has_seen_the_object() {
        Watch watch = waiting();
        writer.upsert(ApiSamples.object("a", "z", 120));
        ApiSamples.delete(writer, "a", "x", 121);
        ApiSamples.delete(writer, "a", "z", 122);
        writer.upsert(ApiSamples.object("a", "y", 123));

        assertThat(step(watch)).isTrue();
        writer.upsert(ApiSamples.object("a", "y", 124));
        assertThat(step(watch)).isTrue();

        assertThat(sent).hasSize(4);
        assertThat(sent.get(0)).contains("DELETED", "\"name\":\"x\"");
        assertThat(sent.get(1)).contains("MODIFIED", "\"name\":\"y\"", "\"123\"");
        assertThat(sent.get(2)).contains("BOOKMARK", "\"123\"", GAP);
        assertThat(sent.get(3)).contains("MODIFIED", "\"124\"");
        assertThat(gaps).isOne();
    }

    /** The history has the gap, so the client resumes within it (list-watch.md#cw-3). */
    @Test
    void client_that_resumes_within_a_gap_is_sent_each_deletion() {
        MirrorWriter changes =
                Mirrors.writer(Mirrors.pods(Mirrors.window()), new MirrorMemory(mirrors));
        ApiSamples.fillWithGoldenPods(changes);
        Watch watch = watch(Watches.initial(everything(changes.mirror()), false));
        assertThat(step(watch)).isTrue();
        ApiSamples.delete(changes, "a", "x", 111);
        for (int revision = 112; revision < 180; revision++) {
            changes.upsert(ApiSamples.object("a", "y", revision));
        }
        ApiSamples.delete(changes, "a-b", "x", 180);
        List<JsonNode> initial = taken();
        assertThat(step(watch)).isTrue();
        List<JsonNode> gap = taken();
        assertThat(gap).hasSize(4).last().asString().contains(GAP);

        for (int last = 0; last < gap.size(); last++) {
            String reached = gap.get(last).at("/object/metadata/resourceVersion").asString();
            StartPosition.From from =
                    (StartPosition.From) changes.mirror().start(new Revision(reached));
            step(watch(Watches.after(everything(changes.mirror()), from)));
            Set<String> known = new HashSet<>();
            Stream.of(initial, gap.subList(0, last + 1), taken())
                    .flatMap(List::stream)
                    .forEach(event -> apply(event, known));
            assertThat(known).as("resumed at %s", reached).containsExactly("a/y");
        }
    }

    private List<JsonNode> taken() {
        List<JsonNode> taken = sent.stream().map(new JsonMapper()::readTree).toList();
        sent.clear();
        return taken;
    }

    private static void apply(JsonNode event, Set<String> known) {
        JsonNode metadata = event.at("/object/metadata");
        String key = metadata.path("namespace").asString() + "/" + metadata.path("name").asString();
        switch (event.get("type").asString()) {
            case "DELETED" -> known.remove(key);
            case "ADDED", "MODIFIED" -> known.add(key);
            default -> assertThat(event.get("type").asString()).isEqualTo("BOOKMARK");
        }
    }

    @Test
    void client_that_keeps_up_gets_every_change_and_no_gap() {
        Watch watch = waiting();
        for (int revision = 120; revision < 125; revision++) {
            writer.upsert(ApiSamples.object("a", "z", revision));
            assertThat(step(watch)).isTrue();
        }
        assertThat(sent).hasSize(5).noneMatch(line -> line.contains("BOOKMARK"));
        assertThat(gaps).isZero();
    }

    @Test
    void client_that_resumes_too_late_gets_410() {
        StartPosition.From start = (StartPosition.From) mirror.start(new Revision("110"));
        Watch watch = watch(Watches.after(everything(mirror), start));
        writer.upsert(ApiSamples.object("a", "z", 120));
        writer.upsert(ApiSamples.object("a", "z", 121));

        assertThat(step(watch)).isFalse();

        assertThat(sent).singleElement().asString().contains("\"code\":410");
    }

    @Test
    void events_that_wait_are_charged_until_they_are_sent() {
        Watch watch = waiting();
        writer.upsert(ApiSamples.object("a", "z", 120));
        writer.upsert(ApiSamples.object("a", "z", 121));

        assertThat(watch.next()).isInstanceOf(NextStep.Send.class);
        assertThat(clients.used()).isPositive();
        assertThat(step(watch)).isTrue();
        assertThat(clients.used()).isZero();
    }

    /** Only the newest versions, which the mirror has, too, are not charged. */
    @Test
    void versions_that_are_not_sent_are_not_kept() {
        Conflation conflation =
                new Conflation(everything(mirror), clients, () -> gaps++, () -> signals++);
        Cursor begin = mirror.position().orElseThrow().cursor();
        conflation.begin(begin);
        writer.upsert(ApiSamples.object("a", "x", 120));
        writer.upsert(ApiSamples.object("a", "x", 121));

        CatchUp.Outcome.Missed missed =
                (CatchUp.Outcome.Missed) conflation.next(mirror.read(begin), begin, false);

        Change.Modified only = (Change.Modified) missed.events().getFirst();
        assertThat(List.of(only.previous(), only.object()))
                .containsOnly(mirror.snapshot().orElseThrow().get(only.key()).orElseThrow());
        conflation.close();
    }

    @Test
    void watch_ends_without_memory_for_what_it_has_missed() {
        clients = MemoryBudget.ofProcess(10);
        Watch watch = waiting();
        writer.upsert(ApiSamples.object("a", "z", 120));
        writer.upsert(ApiSamples.object("a", "z", 121));

        assertThat(watch.next()).isEqualTo(new NextStep.End(EndReason.CLOSED));
        assertThat(sent).isEmpty();
    }

    @Test
    void state_that_a_waiting_watch_holds_gives_way_to_the_newest_one() {
        replaceTwoMegabytes(200);
        Watch watch = waiting(ONLY_X);
        replaceTwoMegabytes(300);
        assertThat(signals).as("the state that it holds is charged").isOne();
        assertThat(pinned()).isZero();

        assertThat(step(watch)).isTrue();
        ApiSamples.delete(writer, "a", "x", 400);
        assertThat(step(watch)).isTrue();

        assertThat(sent).singleElement().asString().contains("DELETED", "\"name\":\"x\"");
    }

    @Test
    void watch_that_writes_ends_if_the_memory_of_its_state_is_needed() {
        replaceTwoMegabytes(200);
        Watch watch = waiting(ONLY_X);
        writer.upsert(ApiSamples.object("a", "x", 220));
        assertThat(watch.next()).isInstanceOf(NextStep.Send.class);
        replaceTwoMegabytes(300);
        assertThat(signals).isOne();

        watch.releaseIfStopping();

        assertThat(watch.next()).isEqualTo(new NextStep.End(EndReason.CLOSED));
    }

    @Test
    void watch_that_has_ended_holds_no_state() {
        Watch watch = waiting();
        for (int revision = 120; revision < 124; revision++) {
            writer.upsert(ApiSamples.object("a", "x", revision));
        }
        assertThat(pinned()).isPositive();

        watch.end(EndReason.CLOSED);
        writer.bookmark(new Revision("300"));

        assertThat(pinned()).isZero();
    }

    /** More than slow readers may hold of these mirrors. */
    private void replaceTwoMegabytes(int from) {
        String padding = "p".repeat(100_000);
        for (int i = 0; i < 20; i++) {
            writer.upsert(ApiSamples.object("b", padding + i, from + i));
        }
    }

    private long pinned() {
        return mirrors.parts().stream()
                .filter(part -> part.name().equals("snapshots"))
                .mapToLong(MemoryBudget::used)
                .sum();
    }

    private static CollectionRequest everything(Mirror mirror) {
        return Watches.wanted(mirror, Selection.everything());
    }

    private Watch waiting() {
        return waiting(Selection.everything());
    }

    /** A watch that has been sent the golden pods. */
    private Watch waiting(Selection selection) {
        Watch watch = watch(Watches.initial(Watches.wanted(mirror, selection), false));
        assertThat(step(watch)).isTrue();
        sent.clear();
        return watch;
    }

    private Watch watch(WatchStart start) {
        return Watches.watch(
                start,
                ApiFixture.BATCHES,
                new Conflation(start.wanted(), clients, () -> gaps++, () -> signals++));
    }

    /** Runs a watch until it waits or ends, and returns whether it continues. */
    private boolean step(Watch watch) {
        NextStep next = watch.next();
        while (next instanceof NextStep.Send(FrameBatch batch)) {
            batch.frames().forEach(frame -> sent.add(new String(frame, StandardCharsets.UTF_8)));
            next = watch.next();
        }
        return next instanceof NextStep.Rest;
    }
}
