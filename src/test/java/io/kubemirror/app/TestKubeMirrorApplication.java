package io.kubemirror.app;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.real.K3sApiServer;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ScriptedSettings;
import io.kubemirror.testing.scripted.ScriptedSettings.WatchTimeouts;
import io.kubemirror.testing.scripted.ServedTypes;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts kubemirror against an API server of its own with a little life in it, to try things out:
 * {@code mvn spring-boot:test-run}.
 */
public final class TestKubeMirrorApplication {

    private static final String NAMESPACE = "default";

    private static final List<String> RESOURCES = List.of("pods", "configmaps", "deployments.apps");

    private TestKubeMirrorApplication() {}

    /**
     * Runs until it is interrupted.
     *
     * @param arguments further command line arguments of Spring Boot
     */
    public static void main(String[] arguments) throws IOException {
        var scheduler = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().factory());
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        ApiServer server = server(scheduler);
        var _ = scheduler.scheduleAtFixedRate(life(server), 0, 1, TimeUnit.SECONDS);
        // Runs when kubemirror has ended, which would report a lost connection otherwise.
        SpringApplication.getShutdownHandlers().add(() -> close(scheduler, server));
        ConfigurableApplicationContext context =
                SpringApplication.from(KubeMirrorApplication::main)
                        .run(withUpstream(server, arguments))
                        .getApplicationContext();
        System.out.println(
                invitation(
                        server,
                        context.getEnvironment().getRequiredProperty("local.server.port"),
                        context.getEnvironment().getRequiredProperty("local.management.port")));
    }

    /**
     * Executables if there are any, else a container if a Docker engine answers, else the scripted
     * server. Never the cluster of a kubeconfig, because objects are created.
     */
    private static ApiServer server(ScheduledExecutorService scheduler) {
        Optional<ServerBinaries> serverBinaries = ServerBinaries.find();
        if (serverBinaries.isPresent()) {
            return RealApiServer.start(serverBinaries.get(), List.of());
        }
        return K3sApiServer.isAvailable() ? K3sApiServer.start(List.of()) : scripted(scheduler);
    }

    private static ApiServer scripted(ScheduledExecutorService scheduler) {
        ScriptedApiServer server =
                ScriptedApiServer.create(
                        ScriptedSettings.deterministic()
                                .withClock(InstantSource.system())
                                .withFreshness(Duration.ofSeconds(3))
                                .withTimeouts(WatchTimeouts.by(scheduler)));
        Runnable bookmarks = () -> ServedTypes.all().forEach(server::bookmark);
        var _ = scheduler.scheduleAtFixedRate(bookmarks, 60, 60, TimeUnit.SECONDS);
        return server;
    }

    private static String[] withUpstream(ApiServer server, String[] arguments) {
        List<String> all = new ArrayList<>();
        server.settings().forEach(setting -> all.add("--" + setting));
        for (int i = 0; i < RESOURCES.size(); i++) {
            all.add("--kubemirror.resources[%d].resource=%s".formatted(i, RESOURCES.get(i)));
        }
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }

    /** Waits for a change that is under way, which would fail if its thread were interrupted. */
    private static void close(ScheduledExecutorService scheduler, ApiServer server) {
        scheduler.close();
        server.close();
    }

    /**
     * Makes the changes of a second: a pod begins, which runs in the next one, succeeds after four,
     * and is deleted after six, and a config map counts.
     */
    private static Runnable life(ApiServer server) {
        server.ensureNamespace(NAMESPACE);
        server.create(Manifests.configMap(NAMESPACE, "ticker"));
        server.create(Manifests.deployment(NAMESPACE, "shop", 1));
        AtomicInteger steps = new AtomicInteger();
        return () -> {
            int step = steps.incrementAndGet();
            try {
                server.create(Manifests.pod(NAMESPACE, pod(step)).label("app", "walker"));
                phase(server, step, "Pending");
                phase(server, step - 1, "Running");
                phase(server, step - 4, "Succeeded");
                if (step > 6) {
                    server.delete(ServedTypes.PODS, NAMESPACE, pod(step - 6));
                }
                String count = "{\"data\": {\"step\": \"%d\"}}".formatted(step);
                server.patch(ServedTypes.CONFIGMAPS, NAMESPACE, "ticker", count);
            } catch (RuntimeException changed) {
                System.out.println("an object cannot be changed: " + changed.getMessage());
            }
        };
    }

    private static void phase(ApiServer server, int step, String phase) {
        if (step > 0) {
            String status = "{\"status\": {\"phase\": \"%s\"}}".formatted(phase);
            server.patchStatus(ServedTypes.PODS, NAMESPACE, pod(step), status);
        }
    }

    private static String pod(int step) {
        return "walker-" + step;
    }

    private static String invitation(ApiServer server, String port, String managementPort) {
        return """

        kubemirror mirrors %1$s, %2$s
        Try:

          curl 'http://127.0.0.1:%3$s/api/v1/namespaces/default/pods'
          curl -N 'http://127.0.0.1:%3$s/api/v1/pods?watch=1'
          curl -N -H 'Accept: text/event-stream' 'http://127.0.0.1:%3$s/api/v1/pods?watch=1'
          kubectl --server http://127.0.0.1:%3$s get pods --watch

        and open http://127.0.0.1:%4$s/ in a browser.
        """
                .formatted(server.url(), description(server), port, managementPort);
    }

    private static String description(ApiServer server) {
        return server instanceof ScriptedApiServer
                ? "a scripted API server of the tests.\n"
                        + "For a real one, set KUBEBUILDER_ASSETS to the directory of etcd and"
                        + " kube-apiserver, or start Docker."
                : "a real API server.";
    }
}
