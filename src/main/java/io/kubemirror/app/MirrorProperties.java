package io.kubemirror.app;

import static java.util.Objects.requireNonNullElse;

import module java.base;

import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.server.ConnectionProperties;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.watch.WatchProperties;
import io.kubemirror.app.EtcdProperties.KeysInEtcd;
import io.kubemirror.app.MemoryConfiguration.MemoryProperties;
import io.kubemirror.app.config.DurationRangeConverter;
import io.kubemirror.app.config.UnreadNames;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.model.DurationRange;
import io.kubemirror.reflector.ReflectorSettings.RetrySettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Pattern;

import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * The configuration under {@code kubemirror}, bound and validated; a name that it does not have is
 * refused. {@link ConfiguredResource} parses the notations of resources.
 *
 * @param upstream The API server and how to connect to it.
 * @param resources [KEY] Resources to mirror, at least one. Each element is a resource, or has a
 *     resource and settings of its own.
 * @param defaults Settings of all resources that do not set their own.
 * @param memory How much of the heap objects, history, upstream data, and clients may use.
 * @param history Recent changes that each mirror keeps, so that watches can resume.
 * @param watches Watches of clients.
 * @param shutdown Graceful shutdown.
 * @param connections Limits for client connections.
 * @param access Authentication and authorization of clients.
 * @param passThrough Requests that kubemirror does not answer itself.
 * @param persistence Mirrors on disk, from which the next process continues without a list.
 * @param allowedHosts Additional host names that clients may use to reach kubemirror without
 *     credentials: a full name, *. followed by a suffix, or * for any name. Loopback names are
 *     always allowed. On other addresses IP addresses, names without a dot, *.svc, and
 *     *.cluster.local are allowed as well.
 * @param allowUnauthenticated Whether to serve an address other than loopback without TLS and
 *     without authentication. Enable it only where something else protects kubemirror, such as a
 *     service mesh or a network policy.
 * @param allowSecrets Whether Secrets may be mirrored. They are then held in the memory of this
 *     process and served to every client that is allowed to read them.
 * @param exitOnChange Whether the process ends in order, with exit code 75, when a configuration
 *     file has changed. Enable it where something starts the process again.
 */
@Validated
@ConfigurationProperties(prefix = "kubemirror", ignoreUnknownFields = false)
public record MirrorProperties(
        @DefaultValue @Valid UpstreamProperties upstream,
        @DefaultValue
                @NotEmpty(
                        message =
                                "is empty; set at least kubemirror.resources[0].resource, for"
                                        + " example to pods")
                List<@Valid ResourceProperties> resources,
        @DefaultValue @Valid @NestedConfigurationProperty ResourceDefaults defaults,
        @DefaultValue @NestedConfigurationProperty MemoryProperties memory,
        @DefaultValue @Valid @NestedConfigurationProperty HistoryProperties history,
        @DefaultValue @Valid @NestedConfigurationProperty WatchProperties watches,
        @DefaultValue @Valid @NestedConfigurationProperty ShutdownProperties shutdown,
        @DefaultValue @Valid @NestedConfigurationProperty ConnectionProperties connections,
        @DefaultValue @Valid @NestedConfigurationProperty AccessProperties access,
        @DefaultValue @NestedConfigurationProperty PassThroughProperties passThrough,
        @DefaultValue @NestedConfigurationProperty PersistenceProperties persistence,
        @DefaultValue List<@Pattern(regexp = HOST, message = NO_HOST) String> allowedHosts,
        @DefaultValue("false") boolean allowUnauthenticated,
        @DefaultValue("false") boolean allowSecrets,
        @DefaultValue("false") boolean exitOnChange) {

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
    @Import({DurationRangeConverter.class, UnreadNames.class})
    private static final class Binding {}

    /** Returns whether clients need credentials. */
    public boolean needsCredentials() {
        return access.needsCredentials() || passThrough.needsCredentials();
    }

    /**
     * Refuses to accept every host name.
     *
     * @param problemAndRemedy what a web page could do then
     * @throws InvalidConfigurationPropertyValueException if the configuration accepts them all
     */
    public void refuseAnyHost(String problemAndRemedy) {
        if (allowedHosts.contains("*")) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.allowed-hosts", allowedHosts, problemAndRemedy);
        }
    }

    static final String NEGATIVE_TIME = "is negative; use 0 or a time such as 30s";

    static final String NEGATIVE_PAGE = "is negative; use a page size, or 0 for one page";

    static final String NO_BOUND =
            "is not positive; use a duration such as 2m, or remove it to serve a mirror of any age";

    private static final String HOST = "(?i)\\*|(\\*\\.)?[a-z0-9_]([-a-z0-9_.]*[a-z0-9_])?";

    private static final String NO_HOST =
            "'${validatedValue}' is not a host name; use a name without scheme, port and path, a"
                    + " suffix such as *.example.com, or *";

    private static final String NAMESPACE = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

    private static final String NO_NAMESPACE =
            "'${validatedValue}' is not a valid namespace name; correct it, or remove namespaces to"
                    + " mirror all namespaces";

    /**
     * The API server. If neither an address nor a kubeconfig is set, kubemirror uses the pod's
     * service account, then the file in {@code KUBECONFIG}, then {@code ~/.kube/config}.
     *
     * @param server URL of the API server. It is used without credentials, and excludes the next
     *     two.
     * @param kubeconfig [KEY] Path of a kubeconfig file.
     * @param context Name of a context in the kubeconfig. Default: the current context.
     * @param readTimeout How long a response may take to begin, and a list may pause. 64 KB of a
     *     list, or of a watch event that has begun, may take twice as long.
     * @param watchTimeout Duration of watches, chosen at random for each; also a single duration.
     * @param bookmarks Whether watches ask for bookmarks. Without them strategy watch-list cannot
     *     be used, and watches that resume read more.
     * @param retry When to try again after failures.
     * @param concurrentLists Maximum number of collections that are listed at the same time.
     * @param maxObjectBytes Maximum size of an object as JSON. Default: an eighth of the memory for
     *     mirrors, but at least 2 MB and at most 16 MB.
     * @param auditInterval Interval at which each mirror is compared with the API server. Each
     *     comparison costs the API server a paged list of metadata; 0 disables it.
     * @param lostAfter How long the API server may be silent before health reports the connection
     *     as lost.
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
            @DefaultValue @Valid RetryProperties retry,
            @DefaultValue("4") @Min(value = 1, message = "is too small; use 1 or more")
                    int concurrentLists,
            @Nullable DataSize maxObjectBytes,
            @DefaultValue("5m") @DurationUnit(ChronoUnit.SECONDS) Duration auditInterval,
            @DefaultValue("10m")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = NEGATIVE_TIME)
                    Duration lostAfter,
            @Nullable @Valid @NestedConfigurationProperty EtcdProperties etcd,
            @DefaultValue FilesProperties files) {

        /**
         * Minimum interval of audits. An audit is a list, and no resource is listed more often
         * (list-watch.md#bo-4).
         */
        private static final Duration MIN_AUDIT_INTERVAL = Duration.ofSeconds(1);

        /** Rejects times that are too short, and settings that contradict each other. */
        public UpstreamProperties {
            requireAtLeast("read-timeout", readTimeout, Duration.ofMillis(100));
            requireAtLeast("watch-timeout", watchTimeout.shortest(), Duration.ofSeconds(2));
            if (!bookmarks && lostAfter.compareTo(watchTimeout.longest()) < 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.upstream.lost-after",
                        lostAfter,
                        "is shorter than watch-timeout, which a watch without bookmarks may be"
                            + " silent for; raise it, or set kubemirror.upstream.bookmarks=true");
            }
            if (!auditInterval.isZero() && auditInterval.compareTo(MIN_AUDIT_INTERVAL) < 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.upstream.audit-interval",
                        auditInterval,
                        "is too short; use 1s or more, or 0 for never");
            }
        }

        private static void requireAtLeast(String property, Duration value, Duration shortest) {
            if (value.compareTo(shortest) < 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.upstream." + property,
                        value,
                        "is too short; use %s or more"
                                .formatted(
                                        DurationFormatterUtils.print(
                                                shortest, DurationFormat.Style.COMPOSITE)));
            }
        }

        UpstreamSettings settings() {
            return new UpstreamSettings(server, kubeconfig, context);
        }

        WatchForm watches() {
            return new WatchForm(watchTimeout, bookmarks, Duration.ZERO);
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
     * @param baseDelay Delay after a first failure. It doubles with every further one, and is
     *     randomized up to twice that.
     * @param maxDelay Delay that does not double any more.
     * @param maxErrorsPerRevision Number of failures without progress at one revision after which
     *     the most recent state is requested without it.
     */
    public record RetryProperties(
            @DefaultValue("800ms")
                    @DurationMin(millis = 10, message = "is too short; use 10ms or more")
                    Duration baseDelay,
            @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS) Duration maxDelay,
            @DefaultValue("5") @Min(value = 1, message = "is too small; use 1 or more")
                    int maxErrorsPerRevision) {

        /** Without a delay for so long, the next is the first again. */
        private static final Duration RESET_AFTER = Duration.ofMinutes(2);

        /** Rejects a maximum below the first delay. */
        public RetryProperties {
            if (maxDelay.compareTo(baseDelay) < 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.upstream.retry.max-delay",
                        maxDelay,
                        "is below base-delay; use %s or more"
                                .formatted(
                                        DurationFormatterUtils.print(
                                                baseDelay, DurationFormat.Style.COMPOSITE)));
            }
        }

        RetrySettings settings() {
            return new RetrySettings(baseDelay, maxDelay, RESET_AFTER, maxErrorsPerRevision);
        }
    }

    /**
     * A resource to mirror.
     *
     * @param resource Resource in kubectl notation: pods, deployments.apps, or
     *     widgets.v1.example.com. On demand also *.example.com for all resources of a group, *. for
     *     those of the core group, and * for all.
     * @param namespaces [KEY] Namespaces to mirror, each with its own list-watch. If empty, all
     *     namespaces are mirrored with one list-watch.
     * @param labelSelector Label selector sent to the API server.
     * @param fieldSelector Field selector sent to the API server.
     * @param strategy Overrides kubemirror.defaults.strategy.
     * @param indexFields Paths of additional fields that clients may use in field selectors.
     * @param maxObjects Maximum number of objects; 0 for no limit.
     * @param maxBytes Maximum memory for the objects of one mirror, including what they need beside
     *     their JSON; 0 for no limit.
     * @param reads Overrides kubemirror.defaults.reads.
     * @param stalenessBound Overrides kubemirror.defaults.staleness-bound.
     * @param keepFields Paths of the only members to store of each object, beside its identity.
     * @param dropFields [KEY] Paths of members to remove from each object before it is stored.
     * @param metadataOnly Whether to mirror only the metadata of each object.
     * @param start When the mirror starts: with the process, or on demand with the first request
     *     for it.
     * @param idle How long a mirror on demand may be without requests and watches before it ends.
     *     Default: 10m.
     * @param etcd Where etcd holds the resource. Default: the API server serves it.
     */
    @ConfigurationPropertiesSource
    public record ResourceProperties(
            @DefaultValue("") @NotBlank(message = MISSING) String resource,
            @DefaultValue
                    List<@Pattern(regexp = NAMESPACE, message = NO_NAMESPACE) String> namespaces,
            @DefaultValue("") String labelSelector,
            @DefaultValue("") String fieldSelector,
            @Nullable Strategy strategy,
            @DefaultValue List<String> indexFields,
            @DefaultValue("0")
                    @Min(value = 0, message = "is negative; use a limit, or 0 for no limit")
                    long maxObjects,
            @DefaultValue("0B") DataSize maxBytes,
            @Nullable ReadMode reads,
            @Nullable @DurationUnit(ChronoUnit.SECONDS) @DurationMin(nanos = 1, message = NO_BOUND)
                    Duration stalenessBound,
            @DefaultValue List<String> keepFields,
            @DefaultValue List<String> dropFields,
            @DefaultValue("false") boolean metadataOnly,
            @DefaultValue("always") MirrorStart start,
            @Nullable
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(seconds = 1, message = "is too short; use 1s or more")
                    Duration idle,
            @Nullable @Valid @NestedConfigurationProperty KeysInEtcd etcd) {

        private static final String MISSING = "is missing; set it, for example to pods";

        /** Returns a resource without settings of its own, as Boot reads {@code - pods}. */
        public static ResourceProperties of(String resource) {
            return new Binder(new MapConfigurationPropertySource(Map.of("one.resource", resource)))
                    .bindOrCreate("one", ResourceProperties.class);
        }

        /** When a mirror starts. */
        public enum MirrorStart {
            /** With the process. */
            ALWAYS,
            /** With the first request for it. */
            ON_DEMAND
        }

        /** Returns the settings that defaults exist for, with this resource's own in place. */
        ResourceDefaults over(ResourceDefaults defaults) {
            return new ResourceDefaults(
                    requireNonNullElse(strategy, defaults.strategy()),
                    defaults.pageSize(),
                    defaults.resourceVersion(),
                    defaults.resyncPeriod(),
                    requireNonNullElse(reads, defaults.reads()),
                    stalenessBound == null ? defaults.stalenessBound() : stalenessBound);
        }
    }
}
