package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.server.JettySettings.ConnectionProperties;
import io.kubemirror.api.watch.WatchProperties;
import io.kubemirror.app.MemoryConfiguration.MemoryProperties;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.DurationRange;
import io.kubemirror.reflector.ReflectorSettings.RetrySettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.unit.DataSize;

/**
 * The configuration under {@code kubemirror}. What contradicts itself is refused, and so is a name
 * that it does not have.
 *
 * @param upstream The API server and how to connect to it.
 * @param resources [KEY] Resources to mirror, at least one. Each element is a resource, or has a
 *     resource and settings.
 * @param defaults Settings of all resources that do not set their own.
 * @param memory How much of the heap objects, history, upstream data, and clients may use.
 * @param history Recent changes that each mirror keeps, so that watches can resume.
 * @param watches Watches of clients.
 * @param shutdown Graceful shutdown.
 * @param connections Limits for client connections.
 * @param access Authentication and authorization of clients.
 * @param passThrough Requests that kubemirror does not answer itself.
 * @param persistence Mirrors on disk, from which the next process continues without a list.
 * @param allowedHosts Additional host names in requests without credentials: a full name, *.
 *     followed by a suffix, or * for any name.
 * @param allowUnauthenticated Whether to serve an address other than loopback without TLS and
 *     without authentication.
 * @param allowSecrets Whether Secrets may be mirrored.
 * @param exitOnChange Whether the process ends, with exit code 75, when a configuration file has
 *     changed.
 */
@ConfigurationProperties(prefix = "kubemirror", ignoreUnknownFields = false)
public record MirrorProperties(
        @DefaultValue UpstreamProperties upstream,
        @DefaultValue List<ResourceProperties> resources,
        @DefaultValue ResourceDefaults defaults,
        @DefaultValue @NestedConfigurationProperty MemoryProperties memory,
        @DefaultValue HistoryProperties history,
        @DefaultValue @NestedConfigurationProperty WatchProperties watches,
        @DefaultValue @NestedConfigurationProperty ShutdownProperties shutdown,
        @DefaultValue @NestedConfigurationProperty ConnectionProperties connections,
        @DefaultValue @NestedConfigurationProperty AccessProperties access,
        @DefaultValue @NestedConfigurationProperty PassThroughProperties passThrough,
        @DefaultValue PersistenceProperties persistence,
        @DefaultValue List<String> allowedHosts,
        @DefaultValue("false") boolean allowUnauthenticated,
        @DefaultValue("false") boolean allowSecrets,
        @DefaultValue("false") boolean exitOnChange) {

    private static final Pattern HOST =
            Pattern.compile("(?i)\\*|(\\*\\.)?[a-z0-9_]([-a-z0-9_.]*[a-z0-9_])?");

    /** Refuses parts that contradict each other. */
    public MirrorProperties {
        resources = List.copyOf(resources);
        allowedHosts = List.copyOf(allowedHosts);
        refuse(
                resources.isEmpty(),
                "kubemirror.resources",
                "is empty; set it, for example to pods, by an argument or in application.yaml,"
                    + " which is read from the working directory and its directory config if the"
                    + " user may read them");
        refuse(
                !allowedHosts.stream().allMatch(one -> HOST.matcher(one).matches()),
                "kubemirror.allowed-hosts",
                "has what is no host name; use names without scheme, port and path, suffixes such"
                        + " as *.example.com, or *");
        refuse(
                passThrough.anonymousReads() && access.needsCredentials(),
                "kubemirror.pass-through.anonymous-reads",
                "contradicts kubemirror.access.authentication; remove one of them");
        for (int i = 0; i < resources.size(); i++) {
            String at = "kubemirror.resources[" + i + "].";
            ResourceProperties one = resources.get(i);
            checkServer(at, one, upstream, defaults, passThrough);
            refuse(
                    !allowSecrets && one.isSecrets(),
                    at + "resource",
                    "all clients of kubemirror could read secrets; remove it, or set"
                            + " kubemirror.allow-secrets=true");
        }
    }

    /** Refuses a resource that needs what the API server is not configured to do. */
    private static void checkServer(
            String at,
            ResourceProperties resource,
            UpstreamProperties upstream,
            ResourceDefaults defaults,
            PassThroughProperties passThrough) {
        refuse(
                resource.etcd() != null && upstream.etcd() == null,
                at + "etcd",
                "is not used; set kubemirror.upstream.etcd.endpoints, or remove it");
        refuse(
                resource.isOnDemand() && passThrough.mode() == PassThroughProperties.Mode.OFF,
                at + "start",
                "on-demand needs the API server for the first answers; set"
                        + " kubemirror.pass-through.mode, or use always");
        refuse(
                resource.reads(defaults) != ReadMode.CACHE
                        && (resource.etcd() != null || !resource.isWhole()),
                at + "reads",
                "the API server would return what keep-fields, drop-fields, metadata-only,"
                        + " selectors, and etcd exclude; use cache");
        refuse(
                resource.strategy(defaults) == Strategy.WATCH_LIST
                        && (resource.etcd() != null || !upstream.bookmarks()),
                at + "strategy",
                "watch-list needs an API server, and kubemirror.upstream.bookmarks; use auto");
    }

    /** Binds and validates a configuration as the start does. */
    public static MirrorProperties bind(ConfigurableEnvironment environment) {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.setEnvironment(environment);
            context.register(Binding.class);
            context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
            context.refresh();
            return context.getBean(MirrorProperties.class);
        }
    }

    @EnableConfigurationProperties(MirrorProperties.class)
    @Import({Notations.class, UnreadNames.class})
    private static final class Binding {}

    /**
     * Refuses a property.
     *
     * @param wrong whether it has to be refused
     * @param property its name, from {@code kubemirror} on
     * @param problemAndRemedy why, and what to do
     */
    public static void refuse(boolean wrong, String property, String problemAndRemedy) {
        if (wrong) {
            throw new InvalidConfigurationPropertyValueException(property, null, problemAndRemedy);
        }
    }

    /** Refuses a time that is shorter than another one. */
    static void requireAtLeast(String property, Duration value, Duration shortest) {
        refuse(
                value.compareTo(shortest) < 0,
                property,
                "is too short; use %d ms or more".formatted(shortest.toMillis()));
    }

    /** Returns whether clients need credentials. */
    public boolean needsCredentials() {
        return access.needsCredentials() || passThrough.needsCredentials();
    }

    /**
     * The API server. If neither an address nor a kubeconfig is set, kubemirror uses the pod's
     * service account, then the file in {@code KUBECONFIG}, then {@code ~/.kube/config}.
     *
     * @param server URL of an API server that needs no credentials; excludes the next two.
     * @param kubeconfig [KEY] Path of a kubeconfig file.
     * @param context Name of a context in the kubeconfig. Default: the current context.
     * @param readTimeout How long a response may take to begin, and a list may pause.
     * @param watchTimeout Duration of watches, chosen at random for each; also a single duration.
     * @param bookmarks Whether watches ask for bookmarks, which strategy watch-list needs.
     * @param retry When to try again after failures.
     * @param auditInterval Interval at which each mirror is compared with the API server, by a
     *     paged list of metadata; 0 for never.
     * @param etcd An etcd that holds some or all of the resources.
     * @param files A directory that takes the place of the API server.
     */
    public record UpstreamProperties(
            @Nullable String server,
            @Nullable String kubeconfig,
            @Nullable String context,
            @DefaultValue("60s") @DurationUnit(ChronoUnit.SECONDS) Duration readTimeout,
            @DefaultValue("5m..10m") DurationRange watchTimeout,
            @DefaultValue("true") boolean bookmarks,
            @DefaultValue RetryProperties retry,
            @DefaultValue("5m") @DurationUnit(ChronoUnit.SECONDS) Duration auditInterval,
            @Nullable @NestedConfigurationProperty EtcdProperties etcd,
            @DefaultValue FilesProperties files) {

        /** Rejects times that are too short, and settings that contradict each other. */
        public UpstreamProperties {
            requireAtLeast("kubemirror.upstream.read-timeout", readTimeout, Duration.ofMillis(100));
            requireAtLeast(
                    "kubemirror.upstream.watch-timeout",
                    watchTimeout.shortest(),
                    Duration.ofSeconds(2));
            // An audit is a list, and no resource is listed more often (list-watch.md#bo-4).
            refuse(
                    !auditInterval.isZero() && auditInterval.compareTo(Duration.ofSeconds(1)) < 0,
                    "kubemirror.upstream.audit-interval",
                    "is too short; use 1s or more, or 0 for never");
        }

        UpstreamSettings settings() {
            return new UpstreamSettings(server, kubeconfig, context);
        }

        WatchForm watches() {
            return new WatchForm(watchTimeout, bookmarks);
        }
    }

    /**
     * A directory that takes the place of the API server.
     *
     * @param directory Directory whose YAML and JSON files contain all objects. Default: none.
     */
    public record FilesProperties(@Nullable Path directory) {}

    /**
     * When to try again after failures.
     *
     * @param baseDelay Delay after the first failure. It doubles with each failure, and is
     *     randomized up to twice its value.
     * @param maxDelay Maximum of this delay.
     * @param maxErrorsPerRevision Number of failures without progress at one revision after which
     *     the most recent state is requested.
     */
    public record RetryProperties(
            @DefaultValue("800ms") Duration baseDelay,
            @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS) Duration maxDelay,
            @DefaultValue("5") int maxErrorsPerRevision) {

        private static final String AT = "kubemirror.upstream.retry.";

        /** Without a delay for so long, the next is the first again. */
        private static final Duration RESET_AFTER = Duration.ofMinutes(2);

        /** Rejects delays that are too short, and no failures. */
        public RetryProperties {
            requireAtLeast(AT + "base-delay", baseDelay, Duration.ofMillis(10));
            requireAtLeast(AT + "max-delay", maxDelay, baseDelay);
            refuse(
                    maxErrorsPerRevision < 1,
                    AT + "max-errors-per-revision",
                    "is too small; use 1 or more");
        }

        RetrySettings settings() {
            return new RetrySettings(baseDelay, maxDelay, RESET_AFTER, maxErrorsPerRevision);
        }
    }

    /**
     * Settings of all resources that do not set their own.
     *
     * @param strategy How the initial state is read.
     * @param pageSize Number of objects per page of a list; 0 reads the collection in one page.
     * @param reads [KEY] Who answers gets and lists that ask for the most recent state.
     * @param stalenessBound How long the API server may be unavailable before reads of the most
     *     recent state get 429. Default: no limit.
     */
    public record ResourceDefaults(
            @DefaultValue("auto") Strategy strategy,
            @DefaultValue("500") int pageSize,
            @DefaultValue("cache") ReadMode reads,
            @Nullable @DurationUnit(ChronoUnit.SECONDS) Duration stalenessBound) {

        private static final String AT = "kubemirror.defaults.";

        /** Refuses a negative page, and times that are too short. */
        public ResourceDefaults {
            refuse(pageSize < 0, AT + "page-size", "is negative; use 0 for one page");
            refuse(
                    stalenessBound != null && !stalenessBound.isPositive(),
                    AT + "staleness-bound",
                    "is not positive; remove it to serve a mirror of any age");
        }
    }

    /**
     * Recent changes that each mirror keeps.
     *
     * @param minEvents Number of changes that are always kept, subject to max-bytes.
     * @param maxEvents Maximum number of changes.
     * @param span [KEY] Age up to which changes are kept, subject to the other limits.
     * @param maxBytes Maximum memory for the history of one mirror.
     */
    public record HistoryProperties(
            @DefaultValue("100") int minEvents,
            @DefaultValue("102400") int maxEvents,
            @DefaultValue("75s") @DurationUnit(ChronoUnit.SECONDS) Duration span,
            @DefaultValue("64MB") DataSize maxBytes) {

        private static final String AT = "kubemirror.history.";

        /** Refuses limits that keep nothing. */
        public HistoryProperties {
            refuse(minEvents < 1, AT + "min-events", "is too small; use 1 or more");
            refuse(maxEvents < minEvents, AT + "max-events", "is below min-events");
            requireAtLeast(AT + "span", span, Duration.ZERO);
            refuse(
                    maxBytes.toBytes() < 1,
                    AT + "max-bytes",
                    "is too small; use a size such as 64MB");
        }

        /** Returns the limits of a mirror's history. */
        Window window() {
            return new Window(minEvents, maxEvents, span, maxBytes.toBytes());
        }
    }

    /**
     * Mirrors on disk, from which the next process continues without a list.
     *
     * @param directory [KEY] Directory for the mirrors, used by this process alone. By default
     *     mirrors are not stored.
     * @param maxBytes Maximum size of all files together. Mirrors that do not fit are not stored.
     */
    public record PersistenceProperties(@Nullable String directory, @Nullable DataSize maxBytes) {

        /** Refuses values that contradict each other. */
        public PersistenceProperties {
            refuse(
                    directory != null && directory.isBlank(),
                    "kubemirror.persistence.directory",
                    "is empty; set a path, or remove it");
            refuse(
                    maxBytes != null && (directory == null || maxBytes.toBytes() < 1),
                    "kubemirror.persistence.max-bytes",
                    "needs kubemirror.persistence.directory, and a size such as 2GB");
        }

        /** Returns the maximum size of all files, in bytes. */
        public long limit() {
            return maxBytes == null ? Long.MAX_VALUE : maxBytes.toBytes();
        }
    }
}
