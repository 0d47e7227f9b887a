package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.Watches;
import io.kubemirror.model.Permission;

import org.junit.jupiter.api.Test;

/** The loop of the rechecks never ends before the process. */
class PermissionRecheckerTest {

    @Test
    void watch_that_cannot_be_ended_does_not_keep_others_open() throws Exception {
        WatchRegistry registry = new WatchRegistry(() -> 0);
        WatchConnection first = Watches.addDefective(registry, client("former", "pods"));
        WatchConnection second = Watches.addDefective(registry, client("former", "pods"));

        AccessControl access = new ScriptedAccess();
        rechecker(() -> access, registry, new RequestTracker()).recheck();

        assertThat(List.of(first, second)).allMatch(WatchConnection::isEndRequested);
    }

    private static PermissionRechecker rechecker(
            Supplier<AccessControl> access, WatchRegistry watches, RequestTracker requests) {
        return new PermissionRechecker(access, watches, requests, _ -> {});
    }

    @Test
    void requests_that_are_passed_on_end_when_kubemirror_no_longer_permits_them() {
        List<String> ended = Collections.synchronizedList(new ArrayList<>());
        RequestTracker requests = new RequestTracker();
        requests.register(() -> ended.add("permitted by the API server"), Optional.empty());
        requests.register(() -> ended.add("permitted"), Optional.of(client("known", "pods")));
        requests.register(() -> ended.add("forbidden"), Optional.of(client("known", "nodes")));
        requests.register(() -> ended.add("revoked"), Optional.of(client("former", "pods")));
        Runnable over = () -> ended.add("over");
        requests.register(over, Optional.of(client("former", "pods")));
        requests.remove(over);
        ScriptedAccess access = new ScriptedAccess().know("known");
        access.forbid("nodes");
        WatchRegistry none = new WatchRegistry(() -> 0);

        rechecker(() -> AccessControl.OPEN, none, requests).recheck();
        assertThat(ended).isEmpty();
        rechecker(() -> access, none, requests).recheck();
        assertThat(ended).containsExactlyInAnyOrder("forbidden", "revoked");
        access.before(
                () -> {
                    throw new IllegalStateException("a defect");
                });
        rechecker(() -> access, none, requests).recheck();
        assertThat(ended).contains("permitted").doesNotContain("permitted by the API server");
    }

    private static RequestCredentials client(String token, String resource) {
        return new RequestCredentials(
                new Credentials(token, List.of()),
                new Permission.OnResource(Permission.Verb.WATCH, "", "v1", resource, "", ""),
                "");
    }
}
