package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.UpstreamInterceptor;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each strategy requests if the continue token expires after every second page of ten. */
@Timeout(60)
class ExpiredPagesTest {

    private static final int PAGES = 10;
    private static final int PAGE = 20;

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();
    private final List<ListRequest> requests = new CopyOnWriteArrayList<>();
    private final Set<Integer> expired = new HashSet<>();

    @BeforeEach
    void create() {
        for (int i = 0; i < PAGES * PAGE; i++) {
            server.create(configMap("a", "n" + i));
        }
    }

    /** If a later page is expired, the collection is listed in one piece (list-watch.md#up-7). */
    @ParameterizedTest
    @EnumSource(names = {"LIST_WATCH", "LIST_WATCH_PARALLEL"})
    void list_begins_again_with_everything_in_one_response(Strategy strategy) {
        Map<String, String> content = synchronize(strategy);

        assertThat(content).hasSize(PAGES * PAGE);
        assertThat(expired).containsExactly(3);
        assertThat(requests).filteredOn(request -> request.continueToken() == null).hasSize(2);
        assertThat(requests).extracting(ListRequest::limit).containsExactly(PAGE, PAGE, PAGE, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "WATCH_LIST"})
    void stream_of_the_initial_state_needs_no_pages(Strategy strategy) {
        assertThat(synchronize(strategy)).hasSize(PAGES * PAGE);
        assertThat(requests).isEmpty();
    }

    private Map<String, String> synchronize(Strategy strategy) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .by(strategy)
                        .inPagesOf(PAGE)
                        .through(api -> new UpstreamInterceptor(api, this::record, watch -> watch));
        try (ReflectorFixture fixture = ReflectorFixture.of(server, plan).synced()) {
            fixture.awaitConsistency(fixture::truth);
            return fixture.held();
        }
    }

    /** Lets the token of every second page expire, but not the one that the failure offers. */
    private void record(ListRequest request) {
        requests.add(request);
        int page = requests.size() - expired.size();
        if (request.continueToken() != null && page % 2 == 1 && expired.add(page)) {
            server.replace(configMap("a", "n0").data("change", "" + page));
            server.expireTokens();
        }
    }
}
