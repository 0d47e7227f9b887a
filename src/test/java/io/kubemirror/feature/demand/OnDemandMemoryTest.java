package io.kubemirror.feature.demand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.testing.LiveHeap;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** Types that are configured on demand and that nobody uses cost next to nothing. */
@Timeout(300)
class OnDemandMemoryTest {

    private static final int TYPES = 300;
    private static final int USED = 5;

    private final ScriptedApiServer server = ScriptedApiServer.create();

    @Test
    void three_hundred_types_cost_no_more_than_twenty_megabytes() {
        try (server) {
            IntStream.range(0, TYPES).mapToObj(ServedTypes::numbered).forEach(server::define);
            // What the first start loads forever belongs to neither.
            var _ = liveBytes(Stream.of("kind0s.many.example.com"));
            long few =
                    liveBytes(
                            IntStream.range(0, USED)
                                    .mapToObj(i -> ServedTypes.numbered(i).groupResource()));
            long many = liveBytes(Stream.of("*"));
            System.out.printf("MEASURED %d KB more%n", (many - few) >> 10);

            assertThat(many - few).isLessThan(20L << 20);
        }
    }

    /** Uses some types, and returns what is alive in this process. */
    private long liveBytes(Stream<String> resources) {
        List<String> names = resources.toList();
        String[] settings =
                Stream.concat(
                                Stream.of(
                                        "kubemirror.upstream.server=" + server.url(),
                                        "kubemirror.pass-through.mode=own"),
                                IntStream.range(0, names.size())
                                        .boxed()
                                        .flatMap(
                                                i ->
                                                        Stream.of(
                                                                "kubemirror.resources[%d].resource=%s"
                                                                        .formatted(i, names.get(i)),
                                                                "kubemirror.resources[%d].start=on-demand"
                                                                        .formatted(i))))
                        .toArray(String[]::new);
        try (ConfigurableApplicationContext context = ApplicationLauncher.with(settings)) {
            RestClient client = ApplicationLauncher.api(context);
            int used = Math.min(USED, names.getFirst().equals("*") ? USED : names.size());
            for (int i = 0; i < used; i++) {
                assertThat(client.get(ServedTypes.numbered(i).collectionPath()).code())
                        .isEqualTo(200);
            }
            await().until(
                            () ->
                                    context.getBean(MirrorSet.class).stream()
                                                    .filter(one -> one.snapshot().isPresent())
                                                    .count()
                                            == used);
            return LiveHeap.bytes();
        }
    }
}
