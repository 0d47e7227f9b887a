package io.kubemirror.feature.etcd;

import static io.kubemirror.feature.etcd.EtcdFixtures.list;
import static io.kubemirror.feature.etcd.EtcdFixtures.objects;
import static io.kubemirror.feature.etcd.EtcdFixtures.open;
import static io.kubemirror.feature.etcd.EtcdFixtures.page;
import static io.kubemirror.feature.etcd.EtcdFixtures.watch;
import static io.kubemirror.feature.etcd.EtcdFixtures.widgets;
import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.real.WithEtcd;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

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

    /** A restart forgets all simple tokens; the password is read again at each login. */
    @Test
    void user_logs_in_and_again_after_a_restart() throws Exception {
        Path file = Files.createTempFile("etcd", "password");
        try (RealEtcd etcd = RealEtcd.of(1)) {
            etcd.create(widget("a", "x", 3));
            user(etcd, "root", "root");
            user(etcd, "reader", "secret");
            ObjectNode read = JsonTrees.parse("{\"name\":\"reader\"}");
            read.set(
                    "perm",
                    JsonTrees.parse(
                            """
                            {"permType":"READ","key":"L3JlZ2lzdHJ5Lw==","range_end":"L3JlZ2lzdHJ5MA=="}
                            """));
            etcd.post("/v3/auth/role/grant", read);
            call(etcd, "enable", "{}");
            String url = etcd.endpoints().getFirst();
            Files.writeString(file, "secret\n");
            EtcdClient reader =
                    EtcdFixtures.client("reader", EtcdConfiguration.firstLine(file), url);

            assertThat(objects(reader, list(0, null))).hasSize(1);
            etcd.stop();
            etcd.start();
            assertThat(objects(reader, list(0, null))).hasSize(1);
            String listed = page(reader, list(0, null), new ArrayList<>()).revision().digits();
            etcd.stop();
            etcd.start();
            open(reader, watch(widgets(), Long.parseLong(listed))).close();
            assertThat(code(EtcdFixtures.client("reader", () -> "wrong", url))).isEqualTo(401);
            assertThat(code(EtcdFixtures.client(url))).isEqualTo(401);
        } finally {
            Files.delete(file);
        }
    }

    private static void user(RealEtcd etcd, String name, String password) {
        call(etcd, "role/add", "{\"name\":\"%s\"}".formatted(name));
        call(etcd, "user/add", "{\"name\":\"%s\",\"password\":\"%s\"}".formatted(name, password));
        call(etcd, "user/grant", "{\"user\":\"%s\",\"role\":\"%s\"}".formatted(name, name));
    }

    private static void call(RealEtcd etcd, String method, String json) {
        etcd.post("/v3/auth/" + method, JsonTrees.parse(json));
    }

    private static int code(EtcdClient client) {
        return client.list(list(0, null), _ -> {})
                        instanceof Result.Failed(Failure.Refused(var status, var _))
                ? status.code()
                : 0;
    }
}
