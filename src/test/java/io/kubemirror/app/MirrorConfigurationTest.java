package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.task.AsyncTaskExecutor;

class MirrorConfigurationTest {

    @Test
    void service_variables_injected_by_kubernetes_do_not_prevent_the_start() {
        Map<String, Object> variables =
                Map.of(
                        "KUBEMIRROR_PORT", "tcp://10.0.0.9:8001",
                        "KUBEMIRROR_PORT_8001_TCP", "tcp://10.0.0.9:8001",
                        "KUBEMIRROR_PORT_8001_TCP_PROTO", "tcp",
                        "KUBEMIRROR_SERVICE_HOST", "10.0.0.9",
                        "KUBEMIRROR_SERVICE_PORT", "8001",
                        "KUBEMIRROR_UPSTREAM_PORT", "tcp://10.0.0.8:80",
                        "KUBEMIRROR_HISTORY_SERVICE_PORT", "80");

        try (var context =
                ApplicationLauncher.with(variables, "kubemirror.resources[0].resource=pods")) {
            assertThat(context.isRunning()).isTrue();
        }
    }

    @Test
    void resources_can_be_set_by_environment_variables() {
        Map<String, Object> variables = Map.of("KUBEMIRROR_RESOURCES_0_RESOURCE", "nodes");

        try (var context = ApplicationLauncher.with(variables)) {
            assertThat(names(context)).containsExactly("nodes");
        }
    }

    @Test
    void notifier_uses_the_only_pool_and_one_daemon_thread() throws InterruptedException {
        try (var context = ApplicationLauncher.with("kubemirror.resources[0].resource=pods")) {
            ExecutorService notifier = context.getBean("notifier", ExecutorService.class);
            BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
            notifier.execute(() -> threads.add(Thread.currentThread()));
            notifier.execute(() -> threads.add(Thread.currentThread()));

            Thread first = taken(threads);
            assertThat(first.isDaemon()).isTrue();
            assertThat(first.isVirtual()).isFalse();
            assertThat(taken(threads)).isSameAs(first);
            assertThat(context.getBeansOfType(AsyncTaskExecutor.class)).isEmpty();
        }
    }

    private static List<String> names(ConfigurableApplicationContext context) {
        return mirrors(context).stream().map(mirror -> mirror.scope().toString()).toList();
    }

    private static List<Mirror> mirrors(ConfigurableApplicationContext context) {
        return context.getBean(MirrorSet.class).all();
    }

    private static Thread taken(BlockingQueue<Thread> threads) throws InterruptedException {
        Thread thread = threads.poll(10, TimeUnit.SECONDS);
        assertThat(thread).isNotNull();
        return thread == null ? Thread.currentThread() : thread;
    }
}
