package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.MirrorUpdater;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import java.lang.reflect.Proxy;

class MirrorBeansTest {

    private final DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
    private final MirrorBeans beans = new MirrorBeans(factory);

    private static MirrorUpdater updater(Mirror mirror) {
        return (MirrorUpdater)
                Proxy.newProxyInstance(
                        MirrorBeansTest.class.getClassLoader(),
                        new Class<?>[] {MirrorUpdater.class},
                        (_, method, _) -> {
                            assertThat(method.getName()).isEqualTo("mirror");
                            return mirror;
                        });
    }

    /** Several requests may change mirrors at the same time. */
    @Test
    void update_that_asks_last_determines_the_beans() throws InterruptedException {
        List<MirrorUpdater> older = List.of(updater(Mirrors.of("pods")));
        List<MirrorUpdater> newer = List.of(updater(Mirrors.of("nodes")));
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

        assertThat(factory.getBeanDefinitionNames()).containsExactly("mirror-nodes");
        assertThat(factory.getBean(Mirror.class)).isSameAs(newer.getFirst().mirror());
    }

    /** Waits until a thread can do no more, because it waits or has ended. */
    private static void awaitRestOf(Thread other) {
        Set<Thread.State> rest = Set.of(Thread.State.WAITING, Thread.State.TERMINATED);
        WaitLimit.until(() -> rest.contains(other.getState()));
    }
}
