package io.kubemirror.feature.union;

import static io.kubemirror.api.ApiFixture.scope;
import static io.kubemirror.api.ApiSamples.PODS;
import static io.kubemirror.api.ApiSamples.synchronize;
import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.MemoryPressure;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** Tests what a union shows, when it asks for progress, and what it accounts for. */
class MirrorUnionTest {

    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");

    private final MemoryBudget budget = MemoryBudget.ofProcess(100 << 20);
    private final MirrorMemory memory = new MirrorMemory(budget);
    private final MirrorWriter a = member("a", Mirrors.window());
    private final MirrorWriter b = member("b", Mirrors.window());
    private final List<String> asked = new ArrayList<>();
    private long nanos;
    private final Mirror mirror =
            new UnionMirror(scope("pods", ""), List.of(a.mirror(), b.mirror()));
    private final MirrorUnion union =
            new MirrorUnion(Mirrors.writer(mirror, memory), this::ask, () -> nanos);

    private void ask(Mirror member, Revision to) {
        asked.add(member.scope() + " to " + to);
    }

    private MirrorWriter member(String namespace, Window window) {
        Mirror mirror = new Mirror(scope("pods", namespace), window, Runnable::run, () -> 0);
        MirrorWriter writer = Mirrors.writer(mirror, memory);
        writer.identify(PODS, DeclaredFields.NONE);
        return writer;
    }

    private void united() {
        synchronize(a, 100, object("a/x", 90));
        synchronize(b, 100, object("b/x", 91));
        union.update();
    }

    private List<String> changes() {
        Reading reading = mirror.read(new Cursor(revision(100), cursor().era()));
        assertThat(reading).isInstanceOf(Reading.Progress.class);
        return ((Reading.Progress) reading)
                .changes().stream().map(logged -> brief(logged.change())).toList();
    }

    private Cursor cursor() {
        return mirror.position().orElseThrow().cursor();
    }

    private static String brief(Change change) {
        return change.getClass().getSimpleName() + " " + change.key() + " " + change.revision();
    }

    @Test
    void union_has_the_state_of_all_members_at_one_revision() {
        synchronize(a, 100, object("a/x", 90));
        a.upsert(object("a/y", 110));
        synchronize(b, 105, object("b/x", 91));

        union.update();

        assertThat(mirror.type()).contains(PODS);
        assertThat(mirror.revision()).isEqualTo(revision(105));
        assertThat(mirror.snapshot().orElseThrow().objects())
                .extracting(object -> object.key().path())
                .containsExactly("a/x", "b/x");
    }

    @Test
    void union_is_not_complete_before_all_members_know_a_common_revision() {
        synchronize(a, 100);
        union.update();
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(asked).isEmpty();

        synchronize(b, 130);
        nanos += Duration.ofSeconds(1).toNanos();
        union.update();

        assertThat(mirror.snapshot()).isEmpty();
        assertThat(asked).containsExactly("pods/a to 130");
        a.bookmark(revision(130));
        union.update();
        assertThat(mirror.revision()).isEqualTo(revision(130));
    }

    @Test
    void changes_of_all_members_appear_in_the_order_of_their_revisions() {
        united();
        a.upsert(object("a/x", 101));
        a.upsert(object("a/y", 104));
        b.delete(new ObjectKey("b/x"), revision(103));
        b.upsert(object("b/y", 106));

        union.update();

        assertThat(changes())
                .containsExactly("Modified a/x 101", "Deleted b/x 103", "Added a/y 104");
        assertThat(mirror.revision()).isEqualTo(revision(104));
    }

    @Test
    void change_waits_until_the_other_members_have_passed_its_revision() {
        united();
        a.upsert(object("a/y", 104));
        union.update();
        assertThat(changes()).isEmpty();
        assertThat(mirror.newest()).isEqualTo(revision(104));

        b.bookmark(revision(110));
        union.update();

        assertThat(changes()).containsExactly("Added a/y 104");
        assertThat(mirror.revision()).isEqualTo(revision(104));
    }

    @Test
    void waiting_change_asks_the_quiet_member_for_progress_if_somebody_reads() {
        united();
        a.upsert(object("a/y", 104));
        union.update();
        nanos += Duration.ofSeconds(1).toNanos();
        union.update();
        assertThat(asked).as("nobody reads").isEmpty();

        try (Subscription _ = mirror.subscribe(Selection.everything(), () -> {})) {
            union.update();
            assertThat(asked).containsOnly("pods/b to 104");
            b.bookmark(revision(104));
            union.update();
            asked.clear();
            nanos += Duration.ofSeconds(1).toNanos();
            union.update();
            assertThat(asked).as("nothing waits").isEmpty();
        }
    }

    @Test
    void busy_members_are_not_asked_for_progress() {
        united();
        try (Subscription _ = mirror.subscribe(Selection.everything(), () -> {})) {
            for (int revision = 101; revision < 200; revision++) {
                (revision % 2 == 0 ? a : b)
                        .upsert(object((revision % 2 == 0 ? "a/" : "b/") + revision, revision));
                nanos += Duration.ofMillis(50).toNanos();
                union.update();
            }
        }
        assertThat(asked).isEmpty();
    }

    /**
     * The revision of a missed deletion is free in its namespace, but another namespace may have
     * used it (list-watch.md#re-6, #wi-6).
     */
    @Test
    void deletion_with_a_revision_that_another_namespace_used_gets_one_of_its_own() {
        united();
        a.upsert(object("a/y", 101));
        a.upsert(object("a/z", 102));
        a.bookmark(revision(120));
        synchronize(b, 120);

        union.update();

        assertThat(changes()).containsExactly("Added a/y 101", "Added a/z 102", "Deleted b/x 103");
        assertThat(mirror.revision()).isEqualTo(revision(120));
    }

    /** A client that stops between them, and resumes elsewhere, misses the second. */
    @Test
    void deletions_that_two_namespaces_missed_never_share_a_revision() {
        united();
        synchronize(a, 120);
        synchronize(b, 120);

        union.update();

        assertThat(changes()).containsExactly("Deleted a/x 101", "Deleted b/x 102");
    }

    /** The deletions of the list have parts of the revision before it. */
    @Test
    void union_that_stops_where_a_member_began_to_list_has_what_that_one_had_there() {
        united();
        a.bookmark(revision(110));
        synchronize(a, 111, object("a/z", 111));
        b.bookmark(revision(110));

        union.update();

        assertThat(mirror.revision()).isEqualTo(revision(110));
        assertThat(mirror.snapshot().orElseThrow().size()).isEqualTo(2);
    }

    /** Such as those of Events whose lease has expired. */
    @Test
    void deletions_of_one_transaction_in_several_namespaces_are_all_shown() {
        united();
        a.upsert(object("a/y", 110));
        a.delete(new ObjectKey("a/x"), revision(120));
        b.delete(new ObjectKey("b/x"), revision(120));
        union.update();
        a.delete(new ObjectKey("a/y"), revision(120));
        a.bookmark(revision(121));
        b.bookmark(revision(121));

        union.update();

        assertThat(changes())
                .containsExactly(
                        "Added a/y 110", "Deleted a/x 120", "Deleted b/x 120", "Deleted a/y 120");
    }

    @Test
    void states_that_a_member_missed_are_never_shown() {
        united();
        synchronize(b, 120, object("b/x", 91), object("b/y", 118));
        a.upsert(object("a/y", 110));
        union.update();
        assertThat(mirror.revision()).as("between the lists of b").isEqualTo(revision(100));

        a.bookmark(revision(120));
        union.update();

        assertThat(changes()).containsExactly("Added a/y 110", "Added b/y 118");
    }

    @Test
    void comparison_with_the_server_advances_a_quiet_member() {
        united();
        a.upsert(object("a/y", 104));
        b.confirm(revision(106));
        a.bookmark(revision(105));

        union.update();
        assertThat(mirror.revision())
                .as("what b was between 100 and 106 is unknown")
                .isEqualTo(revision(100));

        a.confirm(revision(106));
        union.update();
        assertThat(changes()).containsExactly("Added a/y 104");
        assertThat(mirror.revision()).isEqualTo(revision(106));
    }

    @Test
    void union_of_polled_members_advances_although_they_miss_states() {
        united();
        UpstreamStatus polling = new UpstreamStatus(Phase.POLLING, EARLY, EARLY, "");
        a.report(polling);
        b.report(polling);
        synchronize(a, 110, object("a/x", 90), object("a/y", 105));
        synchronize(b, 120, object("b/x", 91), object("b/y", 108));

        union.update();

        assertThat(mirror.revision()).isEqualTo(revision(110));
        assertThat(changes()).containsExactly("Added a/y 105", "Added b/y 108");
    }

    @Test
    void union_that_fell_out_of_the_history_of_a_member_continues_with_ordinary_changes() {
        MirrorWriter small = member("c", new Window(4, 4, Duration.ofSeconds(75), 1 << 20));
        Mirror both = new UnionMirror(scope("pods", ""), List.of(b.mirror(), small.mirror()));
        MirrorUnion lagging =
                new MirrorUnion(Mirrors.writer(both, () -> 0), this::ask, () -> nanos);
        synchronize(small, 100);
        synchronize(b, 100, object("b/x", 91));
        lagging.update();
        Cursor start = both.position().orElseThrow().cursor();
        for (int revision = 101; revision < 150; revision += 2) {
            small.upsert(object("c/" + revision, revision));
        }
        lagging.update();
        assertThat(both.snapshot().orElseThrow().size()).isOne();

        b.delete(new ObjectKey("b/x"), revision(148));
        b.bookmark(revision(149));
        lagging.update();

        assertThat(both.read(start)).isInstanceOf(Reading.Progress.class);
        assertThat(((Reading.Progress) both.read(start)).changes()).hasSize(26);
        assertThat(both.snapshot().orElseThrow().size()).isEqualTo(25);
        lagging.close();
    }

    @Test
    void new_history_of_a_member_is_a_new_history_of_the_union() {
        united();
        Cursor before = cursor();
        synchronize(a, 50, object("a/x", 40));
        union.update();
        assertThat(mirror.revision()).as("until b has noticed it too").isEqualTo(revision(100));
        synchronize(b, 50, object("b/x", 41));

        union.update();

        assertThat(mirror.read(before)).isInstanceOf(Reading.Ended.class);
        assertThat(mirror.revision()).isEqualTo(revision(50));
    }

    @Test
    void content_that_a_member_drops_is_dropped_by_the_union() {
        united();
        Cursor before = cursor();
        b.drop();

        union.update();

        assertThat(mirror.snapshot()).isEmpty();
        assertThat(mirror.type()).contains(PODS);
        assertThat(mirror.read(before)).isInstanceOf(Reading.Ended.class);
        synchronize(b, 100);
        union.update();
        assertThat(mirror.snapshot().orElseThrow().size()).isOne();
    }

    @Test
    void union_shares_its_objects_with_its_members() {
        united();
        a.upsert(object("a/x", 101));
        b.bookmark(revision(101));
        union.update();

        ObjectKey key = new ObjectKey("a/x");
        assertThat(mirror.snapshot().orElseThrow().get(key).orElseThrow())
                .isSameAs(a.mirror().snapshot().orElseThrow().get(key).orElseThrow());
        assertThat(mirror.bytes()).isZero();
        assertThat(used("objects"))
                .isEqualTo(
                        MemoryPressure.bytes(a.mirror())
                                + MemoryPressure.bytes(b.mirror())
                                + 2 * 80);
        assertThat(used("history"))
                .isEqualTo(a.mirror().view().recent().bytes() + mirror.view().recent().bytes());
        assertThat(mirror.view().recent().bytes())
                .as("without the previous object")
                .isLessThan(a.mirror().view().recent().bytes());
    }

    @Test
    void history_is_not_longer_than_that_of_any_member() {
        united();
        for (int revision = 101; revision < 300; revision++) {
            a.upsert(object("a/x", revision));
        }
        b.bookmark(revision(300));
        a.bookmark(revision(300));
        union.update();
        assertThat(mirror.view().recent().changes()).isEqualTo(199);

        MemoryPressure.shorten(a, a.mirror().view().recent().bytes() / 2);
        union.update();

        assertThat(mirror.view().recent().changes())
                .isBetween(90L, a.mirror().view().recent().changes());
        assertThat(mirror.floor()).isGreaterThanOrEqualTo(a.mirror().floor());
    }

    /** What only a union holds counts as what a slow reader holds. */
    @Test
    void state_that_only_the_union_holds_is_accounted_for_until_memory_is_low() {
        united();
        for (int revision = 101; revision < 400; revision++) {
            a.upsert(object("a/" + revision % 5, revision));
        }
        MemoryPressure.shorten(a, Long.MAX_VALUE);
        a.upsert(object("a/x", 400));
        assertThat(used("snapshots")).isPositive();
        assertThat(mirror.snapshot()).isPresent();

        assertThat(MemoryPressure.endOldestReader(a.mirror())).isTrue();
        union.update();

        assertThat(mirror.snapshot()).isEmpty();
    }

    @Test
    void union_is_as_stale_as_its_stalest_member() {
        united();
        a.report(new UpstreamStatus(Phase.WATCHING, EARLY, EARLY.plusSeconds(9), ""));
        b.report(new UpstreamStatus(Phase.BACKING_OFF, EARLY, EARLY.plusSeconds(2), "refused"));

        assertThat(mirror.upstream())
                .isEqualTo(
                        new UpstreamStatus(
                                Phase.BACKING_OFF, EARLY, EARLY.plusSeconds(2), "refused"));
        b.report(new UpstreamStatus(Phase.WATCHING, EARLY, EARLY, ""));
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.WATCHING);
        b.drop();
        union.update();
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.SYNCHRONIZING);
        a.report(a.mirror().upstream().answered(EARLY.plusSeconds(30)));
        b.report(b.mirror().upstream().answered(EARLY.plusSeconds(20)));
        assertThat(mirror.upstream().answer()).isEqualTo(EARLY.plusSeconds(20));
        assertThat(mirror.upstream().contact()).isEqualTo(EARLY);
    }

    private long used(String part) {
        return budget.parts().stream()
                .filter(one -> one.name().equals(part))
                .findFirst()
                .orElseThrow()
                .used();
    }

    @Test
    void union_passes_states_that_a_member_missed_while_another_changed_more_than_one_reading() {
        united();
        for (int i = 1; i <= 1_000; i++) {
            a.upsert(object("a/y", 100 + i));
        }
        b.confirm(revision(1_100));

        union.update();

        assertThat(mirror.revision()).isEqualTo(revision(1_100));
        assertThat(mirror.view().recent().changes()).isEqualTo(1_000);
    }

    /** As after a restart, when the members have the history that is on disk. */
    @Test
    void union_of_restored_members_has_the_history_that_they_have_in_common() {
        restore(a, 100, 130, object("a/x", 110), object("a/y", 120));
        restore(b, 105, 125, object("b/x", 115));

        union.update();

        assertThat(mirror.floor()).isEqualTo(revision(105));
        assertThat(mirror.revision()).isEqualTo(revision(125));
        Cursor resumed = new Cursor(revision(112), cursor().era());
        assertThat(mirror.start(revision(112))).isEqualTo(new StartPosition.From(resumed));
        assertThat(((Reading.Progress) mirror.read(resumed)).changes())
                .extracting(logged -> brief(logged.change()))
                .containsExactly("Added b/x 115", "Added a/y 120");
    }

    /** A deletion that it missed has a revision that the client may have passed. */
    @Test
    void client_of_a_union_does_not_resume_within_what_a_restored_member_missed() {
        restore(a, 100, 130, object("a/x", 110));
        restore(b, 100, 130, object("b/x", 115));
        union.update();
        Cursor waiting = new Cursor(revision(140), cursor().era());
        assertThat(mirror.start(revision(140))).isInstanceOf(StartPosition.From.class);

        synchronize(a, 150);
        b.bookmark(revision(150));
        union.update();

        assertThat(mirror.revision()).isEqualTo(revision(150));
        assertThat(mirror.start(revision(140))).isEqualTo(new StartPosition.TooOld(revision(150)));
        assertThat(mirror.read(waiting)).isInstanceOf(Reading.Expired.class);
        assertThat(mirror.start(revision(120))).isInstanceOf(StartPosition.From.class);
    }

    /** The client may come from another process, and know what the member missed. */
    @Test
    void client_of_a_union_does_not_resume_within_what_a_member_missed() {
        united();
        a.upsert(object("a/y", 104));
        a.bookmark(revision(120));
        synchronize(b, 120);

        union.update();

        assertThat(mirror.revision()).isEqualTo(revision(120));
        assertThat(mirror.start(revision(104))).isEqualTo(new StartPosition.TooOld(revision(120)));
        assertThat(mirror.start(revision(100))).isInstanceOf(StartPosition.From.class);
        assertThat(mirror.start(revision(120))).isInstanceOf(StartPosition.From.class);
    }

    private static void restore(
            MirrorWriter writer, long base, long reached, KubeObject... objects) {
        Restoration restoration = writer.restoration();
        restoration.begin(revision(base));
        for (KubeObject object : objects) {
            restoration.upsert(object, object.revision(), Duration.ZERO);
        }
        Mirrors.restore(restoration, PODS, reached, EARLY, EARLY);
    }
}
