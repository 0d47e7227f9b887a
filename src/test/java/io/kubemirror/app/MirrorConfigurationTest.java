package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.testing.RestClient;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

class MirrorConfigurationTest {

    @Test
    void environment_variables_configure_resources_and_those_of_services_nothing() {
        Map<String, Object> variables =
                Map.of(
                        "KUBEMIRROR_RESOURCES_0_RESOURCE", "nodes",
                        "KUBEMIRROR_PORT", "tcp://10.0.0.9:8001",
                        "KUBEMIRROR_PORT_8001_TCP", "tcp://10.0.0.9:8001",
                        "KUBEMIRROR_PORT_8001_TCP_PROTO", "tcp",
                        "KUBEMIRROR_SERVICE_HOST", "10.0.0.9",
                        "KUBEMIRROR_SERVICE_PORT", "8001",
                        "KUBEMIRROR_UPSTREAM_PORT", "tcp://10.0.0.8:80",
                        "KUBEMIRROR_HISTORY_SERVICE_PORT", "80");

        try (var context = ApplicationLauncher.with(variables)) {
            assertThat(context.getBean(MirrorSet.class).stream())
                    .extracting(mirror -> mirror.scope().toString())
                    .containsExactly("nodes");
        }
    }

    @Test
    void notifier_uses_the_only_pool_and_one_daemon_thread() throws Exception {
        try (var context = ApplicationLauncher.with("kubemirror.resources[0].resource=pods")) {
            ExecutorService notifier = context.getBean("notifier", ExecutorService.class);

            Thread first = notifier.submit(Thread::currentThread).get();
            assertThat(first.isDaemon()).isTrue();
            assertThat(first.isVirtual()).isFalse();
            assertThat(notifier.submit(Thread::currentThread).get()).isSameAs(first);
            assertThat(context.getBeansOfType(AsyncTaskExecutor.class)).isEmpty();
        }
    }

    /** What a user may add. */
    @RestController
    static final class FurtherController {

        @GetMapping("/further/{name}")
        Map<String, String> further(@PathVariable("name") String name) {
            return Map.of("name", name);
        }
    }

    @Test
    void further_controllers_answer_what_the_api_does_not() {
        try (ConfigurableApplicationContext started =
                ApplicationLauncher.with(
                        FurtherController.class,
                        new FurtherController(),
                        "kubemirror.resources[0].resource=pods")) {
            RestClient client = ApplicationLauncher.api(started);

            assertThat(client.get("/further/x").json().path("name").asString()).isEqualTo("x");
            assertThat(client.get("/further").code()).isEqualTo(404);
        }
    }
}
