package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.server.JettySettings.ConnectionProperties;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.watch.WatchProperties;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.app.BoundProperties;
import io.kubemirror.app.Sources;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.DurationRange;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.source.Source;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.ComponentResources;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.RestClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Import;

/** The whole read API on a free port, with mirrors that the test writes. */
public final class ApiFixture implements AutoCloseable {

    public static final ConnectionProperties CONNECTIONS = new ConnectionProperties(15_000);

    /** The usual properties. */
    public static final WatchProperties WATCHES =
            new WatchProperties(
                    Duration.ofSeconds(60),
                    new DurationRange(Duration.ofMinutes(30), Duration.ofMinutes(60)),
                    new BatchProperties(512, Duration.ZERO),
                    0);

    /** The names of a server that is reachable from its own machine only. */
    public static final Hosts LOOPBACK = new Hosts(Hosts.Reach.LOOPBACK, List.of());

    /** Made with the first fixture: those who need a constant only may have other class loaders. */
    private static final class Defaults {

        private static final Map<String, Object> BEANS =
                Map.ofEntries(
                        // Shorter than usual for tests of its end; longer than a busy machine
                        // takes.
                        Map.entry("patience", Duration.ofMillis(500)),
                        Map.entry("random", new Random()),
                        Map.entry("clock", InstantSource.system()),
                        Map.entry("limits", CONNECTIONS),
                        Map.entry("plan", new ShutdownProperties(Duration.ZERO, Duration.ZERO)),
                        Map.entry("server", new FakeForwardingApi()),
                        Map.entry("hosts", LOOPBACK),
                        Map.entry("watches", WATCHES),
                        Map.entry("mirrorProperties", BoundProperties.of(Map.of())),
                        Map.entry("client", ClientLimits.usual("test")),
                        Map.entry("progress", (BiConsumer<Mirror, Revision>) (_, _) -> {}));
    }

    private static final List<String> ARGUMENTS =
            List.of(
                    "--server.port=0",
                    "--management.server.port=-1",
                    "--management.metrics.enable.kubemirror.watch.duration=true",
                    "--management.endpoint.health.validate-group-membership=false",
                    "--logging.level.root=WARN");

    private final ExecutorService waker = Executors.newSingleThreadExecutor();
    private final List<MirrorWriter> writers = new ArrayList<>();
    private final ConfigurableApplicationContext context;

    private ApiFixture(
            Map<String, Object> beans, List<Scope> scopes, Window window, String... arguments) {
        Reads reads = (Reads) beans.getOrDefault("reads", (Reads) _ -> Mirrors.READS);
        for (Scope scope : scopes) {
            writers.add(
                    Mirrors.writer(
                            new Mirror(scope, window, reads.of(scope), waker, System::nanoTime),
                            System::nanoTime));
            writers.getLast()
                    .report(
                            new UpstreamStatus(
                                    UpstreamStatus.Phase.WATCHING,
                                    Instant.EPOCH,
                                    Instant.EPOCH,
                                    ""));
        }
        List<Mirror> mirrors = mirrors();
        Class<?>[] sources =
                Stream.concat(
                                Stream.of(Application.class),
                                beans.values().stream().filter(Class.class::isInstance))
                        .toArray(Class<?>[]::new);
        context =
                new SpringApplicationBuilder(new ComponentResources(), sources)
                        .initializers(
                                started -> {
                                    Map<String, Object> all = new HashMap<>(Defaults.BEANS);
                                    all.putAll(beans);
                                    all.put("mirrors", MirrorSets.of(mirrors));
                                    InstantSource clock =
                                            (InstantSource)
                                                    Objects.requireNonNull(all.get("clock"));
                                    all.put("steadyClock", new SteadyClock(clock, clock));
                                    all.forEach((name, bean) -> register(started, name, bean));
                                })
                        .run(
                                Stream.concat(ARGUMENTS.stream(), Stream.of(arguments))
                                        .toArray(String[]::new));
    }

    /** A bean with how the mirror of a scope is read. */
    @FunctionalInterface
    public interface Reads {

        ReadPolicy of(Scope scope);
    }

    private static void register(ConfigurableApplicationContext context, String name, Object bean) {
        if (bean instanceof Source server) {
            context.getBeanFactory().registerSingleton("sources", new Sources(List.of(server)));
            if (server instanceof KubeClient apiServer) {
                RootBeanDefinition definition =
                        new RootBeanDefinition(KubeClient.class, () -> apiServer);
                definition.setDefaultCandidate(false);
                ((BeanDefinitionRegistry) context.getBeanFactory())
                        .registerBeanDefinition("apiServer", definition);
            }
        } else if (!(bean instanceof Class)) {
            context.getBeanFactory().registerSingleton(name, bean);
        }
    }

    @EnableAutoConfiguration
    @ComponentScan({
        "io.kubemirror.feature.forward",
        "io.kubemirror.feature.stream",
        "io.kubemirror.feature.table"
    })
    @Import(ApiConfiguration.class)
    static class Application {}

    /** Serves whole collections. */
    public static ApiFixture of(String... resources) {
        return of(Map.of(), resources);
    }

    /** Serves whole collections with beans in the place of the usual ones, or configurations. */
    public static ApiFixture of(Map<String, Object> beans, String... resources) {
        return new ApiFixture(beans, whole(resources), Mirrors.window());
    }

    /** Serves whole collections with further beans and settings of Spring Boot. */
    public static ApiFixture of(
            Map<String, Object> beans, String[] resources, String... arguments) {
        return new ApiFixture(beans, whole(resources), Mirrors.window(), arguments);
    }

    /** Serves whole collections of which little of the past is kept. */
    public static ApiFixture of(Window window, String... resources) {
        return new ApiFixture(Map.of(), whole(resources), window);
    }

    /** Serves parts of collections. */
    public static ApiFixture of(Scope... scopes) {
        return of(Map.of(), scopes);
    }

    /** Serves parts of collections with beans in the place of the usual ones. */
    static ApiFixture of(Map<String, Object> beans, Scope... scopes) {
        return new ApiFixture(beans, List.of(scopes), Mirrors.window());
    }

    /**
     * Restores the pods of the golden cases, as if the API server were restored from a backup: the
     * mirror begins a new era and open watches end.
     */
    public void restoreGolden() {
        ApiSamples.synchronizeGoldenPods(writer());
    }

    /** Serves the pods of the golden cases, with further settings of Spring Boot. */
    public static ApiFixture golden(String... arguments) {
        return golden(Map.of(), arguments);
    }

    /** Serves them with beans in the place of the usual ones, or configurations. */
    public static ApiFixture golden(Map<String, Object> beans, String... arguments) {
        ApiFixture served = new ApiFixture(beans, whole("pods"), Mirrors.window(), arguments);
        ApiSamples.fillWithGoldenPods(served.writer());
        return served;
    }

    /** Serves the pods of the golden cases over TLS. */
    public static ApiFixture secure(TestCertificates certificate, String... arguments)
            throws Exception {
        return secure(Map.of(), certificate, arguments);
    }

    /** Serves them over TLS with beans in the place of the usual ones. */
    public static ApiFixture secure(
            Map<String, Object> beans, TestCertificates certificate, String... arguments)
            throws Exception {
        String store = "--spring.ssl.bundle.pem.own.keystore.";
        Stream<String> tls =
                Stream.of(
                        "--server.ssl.bundle=own",
                        store + "certificate=" + certificate.certificatePem(),
                        store + "private-key=" + certificate.keyPem());
        return golden(beans, Stream.concat(tls, Stream.of(arguments)).toArray(String[]::new));
    }

    private static List<Scope> whole(String... resources) {
        return Stream.of(resources).map(resource -> scope(resource, "")).toList();
    }

    public static Scope scope(String resource, String namespace) {
        return new Scope(
                new ResourceName(resource),
                new Selection(namespace, LabelSelector.everything(), FieldSelector.everything()));
    }

    /** The writer of the first mirror. */
    public MirrorWriter writer() {
        return writer(0);
    }

    /** The writer of a mirror. */
    public MirrorWriter writer(int index) {
        return writers.get(index);
    }

    /** Removes all mirrors, as the end of those on demand does. */
    public void removeMirrors() {
        context.getBean(MirrorSet.class).update(List.of());
    }

    /** Adds the mirrors again. */
    public void restoreMirrors() {
        context.getBean(MirrorSet.class).update(mirrors());
    }

    private List<Mirror> mirrors() {
        return writers.stream().map(MirrorWriter::mirror).toList();
    }

    /** A client of the API. */
    public RestClient client() {
        return RestClient.of(URI.create("http://127.0.0.1:" + port()));
    }

    /** Opens a watch and returns when its headers have arrived. */
    public WatchClient watch(String path, String... headers) {
        return WatchClient.open(port(), path, headers);
    }

    public int port() {
        WebServer server = ((WebServerApplicationContext) context).getWebServer();
        return Objects.requireNonNull(server).getPort();
    }

    /** The only part of the API of a type. */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** The number of open watches of all resources. */
    public double openWatches() {
        return context.getBean(MeterRegistry.class).get("kubemirror.watches.open").gauges().stream()
                .mapToDouble(gauge -> gauge.value())
                .sum();
    }

    /** Those who follow the first mirror. */
    public List<WatcherInfo> watcherInfos() {
        return context.getBean(WatchRegistry.class).of(writer().mirror());
    }

    /** By how many changes they are behind, together. */
    public long backlog() {
        return watcherInfos().stream().mapToLong(WatcherInfo::behind).sum();
    }

    /** What a gauge of the API stands at. */
    public double gauge(String name) {
        return context.getBean(MeterRegistry.class).get(name).gauge().value();
    }

    /** What the counters of the API with some tags stand at together, none being 0. */
    public double count(String name, Tags tags) {
        return context.getBean(MeterRegistry.class).find(name).tags(tags).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** How often something was timed by the timers of the API with some tags. */
    public long timed(String name, Tags tags) {
        return context.getBean(MeterRegistry.class).find(name).tags(tags).timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    /** What a counter of the API stands at. */
    public double count(String name) {
        return context.getBean(MeterRegistry.class).get(name).counter().count();
    }

    @Override
    public void close() {
        context.close();
        waker.shutdown();
    }
}
