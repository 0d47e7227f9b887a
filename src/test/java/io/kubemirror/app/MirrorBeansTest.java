package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.StoredFields;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

class MirrorBeansTest {

    private final DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
    private final MirrorBeans beans = new MirrorBeans(factory);

    private static Reflector updater(Mirror mirror) {
        return new Reflector(
                new SilentSource(),
                Mirrors.writer(mirror, () -> 0),
                ReflectorEnvironments.settings(
                        Strategy.AUTO,
                        500,
                        StoredFields.ALL,
                        List.of(),
                        ReflectorEnvironments.timeouts()),
                ReflectorEnvironments.alone(() -> Instant.EPOCH, new Random(1), _ -> {}));
    }

    /** It is never asked, because no reflector starts. */
    private static final class SilentSource implements Source {

        @Override
        public SourceDescription description() {
            return new SourceDescription("a test", "a test", "kubemirror.upstream");
        }

        @Override
        public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
            throw new AssertionError("asked for a list");
        }

        @Override
        public Result<WatchStream> watch(WatchRequest request) {
            throw new AssertionError("asked for a watch");
        }
    }

    /** Several requests may change mirrors at the same time. */
    @Test
    void update_that_asks_last_determines_the_beans() throws InterruptedException {
        List<Reflector> older = List.of(updater(Mirrors.of("pods")));
        List<Reflector> newer = List.of(updater(Mirrors.of("nodes")));
        CountDownLatch asked = new CountDownLatch(1);
        Thread later = Thread.ofPlatform().unstarted(() -> beans.update(() -> newer));
        Thread earlier =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        beans.update(
                                                () -> {
                                                    asked.countDown();
                                                    awaitRestOf(later);
                                                    return older;
                                                }));
        asked.await();
        later.start();
        earlier.join();
        later.join();

        assertThat(factory.getBeanDefinitionNames())
                .containsExactly("mirror-nodes", "reflector-nodes");
        assertThat(factory.getBean(Mirror.class)).isSameAs(newer.getFirst().mirror());
    }

    /** Waits until a thread can do no more, because it waits or has ended. */
    private static void awaitRestOf(Thread other) {
        Set<Thread.State> rest = Set.of(Thread.State.WAITING, Thread.State.TERMINATED);
        WaitLimit.until(() -> rest.contains(other.getState()));
    }
}
