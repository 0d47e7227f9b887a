package io.kubemirror.feature.etcd;

import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.real.WithEtcd;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

/** Faults of real clusters: members that stop, a lost quorum, and credentials. */
@WithEtcd
class EtcdClusterTest {

    /** Clients of the mirror see what happened afterward, and nothing else. */
    @Test
    void mirror_survives_a_lost_quorum() {
        try (RealEtcd etcd = RealEtcd.of(3);
                ReflectorFixture fixture = mirroring(etcd)) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            fixture.holdWaits();
            etcd.stopMember(1);
            etcd.stopMember(2);
            fixture.awaitRest();
            assertThat(fixture.mirror().upstream().phase()).isEqualTo(Phase.BACKING_OFF);
            assertThat(fixture.mirror().snapshot()).isPresent();

            etcd.startMember(1);
            etcd.startMember(2);
            etcd.create(widget("a", "after", 3));
            fixture.releaseWaits();

            follower.readUntil(fixture.truth());
            assertThat(follower.seen()).containsExactly("ADDED a/after");
            fixture.stop();
            assertThat(fixture.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
        }
    }

    @Test
    void watch_continues_at_another_member_without_a_list() {
        try (RealEtcd etcd = RealEtcd.of(3);
                // Attempts without waits would be over before there is a leader.
                ReflectorFixture fixture =
                        mirroring(etcd, ReflectorFixturePlan.of(ServedTypes.WIDGETS).patiently())) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            etcd.stopMember(0);
            etcd.awaitLeader();
            etcd.create(widget("a", "after", 3));

            follower.readUntil(fixture.truth());
            assertThat(follower.seen()).containsExactly("ADDED a/after");
            fixture.stop();
            assertThat(fixture.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
        }
    }

    private static ReflectorFixture mirroring(RealEtcd etcd) {
        return mirroring(etcd, ReflectorFixturePlan.of(ServedTypes.WIDGETS));
    }

    private static ReflectorFixture mirroring(RealEtcd etcd, ReflectorFixturePlan plan) {
        etcd.create(widget("a", "before", 3));
        return ReflectorFixture.of(etcd, plan).synced();
    }
}
