package io.kubemirror;

import io.kubemirror.access.AccessProperties;
import io.kubemirror.api.read.ReadMode;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.mirror.Window;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.upstream.kube.UpstreamSettings;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Pattern;

import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The configuration under {@code kubemirror}, bound and validated. {@link MirrorDefinition} parses
 * the notations of resources.
 *
 * @param upstream The API server and how to connect to it.
 * @param resources Resources to mirror, at least one. Each element has a resource and optionally
 *     namespaces, union, label-selector, field-selector, strategy, page-size, drop-fields,
 *     index-fields, metadata-only, max-objects, max-bytes, reads, and staleness-bound.
 * @param memory How much of the heap objects, history, upstream data, and clients may use.
 * @param history Recent changes that each mirror keeps, so that watches can resume.
 * @param shutdown Graceful shutdown.
 * @param connections Limits for client connections.
 * @param access Authentication and authorization of clients.
 * @param allowedHosts Additional host names that clients may use to reach kubemirror without
 *     credentials: a full name, *. followed by a suffix, or * for any name. Loopback names are
 *     always allowed. On other addresses IP addresses, names without a dot, *.svc, and
 *     *.cluster.local are allowed as well.
 * @param allowUnauthenticated Whether to serve an address other than loopback without TLS and
 *     without authentication. Enable it only where something else protects kubemirror, such as a
 *     service mesh or a network policy.
 * @param allowSecrets Whether Secrets may be mirrored. They are then held in the memory of this
 *     process and served to every client that is allowed to read them.
 */
@Validated
@ConfigurationProperties(prefix = "kubemirror", ignoreUnknownFields = false)
record MirrorProperties(
        @DefaultValue @Valid UpstreamProperties upstream,
        @DefaultValue
                @NotEmpty(
                        message =
                                "is empty; set at least kubemirror.resources[0].resource, for"
                                        + " example to pods")
                List<@Valid ResourceProperties> resources,
        @DefaultValue Memory memory,
        @DefaultValue @Valid HistoryProperties history,
        @DefaultValue @Valid @NestedConfigurationProperty ShutdownProperties shutdown,
        @DefaultValue @Valid @NestedConfigurationProperty ConnectionProperties connections,
        @DefaultValue @Valid @NestedConfigurationProperty AccessProperties access,
        @DefaultValue List<@Pattern(regexp = HOST, message = NO_HOST) String> allowedHosts,
        @DefaultValue("false") boolean allowUnauthenticated,
        @DefaultValue("false") boolean allowSecrets) {

    private static final String NEGATIVE_TIME = "is negative; use 0 or a time such as 30s";

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
     * @param server URL of the API server. It is used without credentials and takes precedence over
     *     every other setting.
     * @param kubeconfig Path of a kubeconfig file.
     * @param context Name of a context in the kubeconfig. Default: the current context.
     * @param concurrentLists Maximum number of collections that are listed at the same time.
     * @param startSpread Period over which reflectors start. Each of several reflectors starts at a
     *     random time within it; a single reflector starts immediately.
     * @param internalErrorWindow How long a watch is retried after internal errors of the API
     *     server before the collection is listed again.
     * @param initialSilence Maximum pause within the initial events of a watch-list before the
     *     stream is given up.
     * @param maxObjectBytes Maximum size of an object as JSON. Default: an eighth of the memory for
     *     mirrors, but at least 2 MB and at most 16 MB.
     * @param auditInterval Interval at which each mirror is compared with the API server. Each
     *     comparison costs the API server a paged list of metadata; 0 disables it.
     * @param lostAfter How long the API server may be silent before health reports the connection
     *     as lost.
     */
    record UpstreamProperties(
            @Nullable String server,
            @Nullable String kubeconfig,
            @Nullable String context,
            @DefaultValue("4") @Min(value = 1, message = "is too small; use 1 or more")
                    int concurrentLists,
            @DefaultValue("500ms") @DurationMin(message = NEGATIVE_TIME) Duration startSpread,
            @DefaultValue("30s") @DurationMin(message = NEGATIVE_TIME) Duration internalErrorWindow,
            @DefaultValue("30s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(nanos = 1, message = "is not positive; use a time such as 30s")
                    Duration initialSilence,
            @Nullable DataSize maxObjectBytes,
            @DefaultValue("5m") @DurationUnit(ChronoUnit.SECONDS) Duration auditInterval,
            @DefaultValue("10m")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = NEGATIVE_TIME)
                    Duration lostAfter) {

        /**
         * Minimum interval of audits. An audit is a list, and no resource is listed more often
         * (list-watch.md#bo-4).
         */
        private static final Duration SHORTEST_AUDIT_INTERVAL = Duration.ofSeconds(1);

        /** Rejects audits in rapid succession. */
        UpstreamProperties {
            if (!auditInterval.isZero() && auditInterval.compareTo(SHORTEST_AUDIT_INTERVAL) < 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.upstream.audit-interval",
                        auditInterval,
                        "is too short; use 1s or more, or 0 for never");
            }
        }

        UpstreamSettings settings() {
            return new UpstreamSettings(server, kubeconfig, context);
        }
    }

    /**
     * A resource to mirror.
     *
     * @param resource Resource in kubectl notation: pods, deployments.apps, or
     *     widgets.v1.example.com.
     * @param namespaces Namespaces to mirror, each with its own list-watch. If empty, all
     *     namespaces are mirrored with one list-watch.
     * @param union Whether requests for all namespaces are answered for those in namespaces.
     * @param labelSelector Label selector sent to the API server.
     * @param fieldSelector Field selector sent to the API server.
     * @param strategy How the initial state is read.
     * @param pageSize Number of objects per page of a list; 0 reads the collection in one page.
     * @param dropFields Paths of members to remove from each object before it is stored.
     * @param indexFields Paths of additional fields that clients may use in field selectors.
     * @param metadataOnly Whether to mirror only the metadata of each object.
     * @param maxObjects Maximum number of objects; 0 for no limit.
     * @param maxBytes Maximum memory for the objects of one mirror, including what they need beside
     *     their JSON; 0 for no limit.
     * @param reads Who answers gets and lists that ask for the most recent state.
     * @param stalenessBound How long the API server may be unavailable before reads of the most
     *     recent state get 429. Default: no limit.
     */
    @ConfigurationPropertiesSource
    record ResourceProperties(
            @DefaultValue("") @NotBlank(message = "is missing; set it, for example to pods")
                    String resource,
            @DefaultValue
                    List<@Pattern(regexp = NAMESPACE, message = NO_NAMESPACE) String> namespaces,
            @DefaultValue("false") boolean union,
            @DefaultValue("") String labelSelector,
            @DefaultValue("") String fieldSelector,
            @DefaultValue("auto") Strategy strategy,
            @DefaultValue("500")
                    @Min(value = 0, message = "is negative; use a page size, or 0 for one page")
                    int pageSize,
            @DefaultValue List<String> dropFields,
            @DefaultValue List<String> indexFields,
            @DefaultValue("false") boolean metadataOnly,
            @DefaultValue("0")
                    @Min(value = 0, message = "is negative; use a limit, or 0 for no limit")
                    long maxObjects,
            @DefaultValue("0B") DataSize maxBytes,
            @DefaultValue("cache") ReadMode reads,
            @Nullable
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(
                            nanos = 1,
                            message =
                                    "is not positive; use a duration such as 2m, or remove it to"
                                            + " serve a mirror of any age")
                    Duration stalenessBound) {}

    /**
     * The memory budget of the process: how much of the heap objects, history, upstream data, and
     * clients may use.
     *
     * @param limit Limit for everything together. Derived from the maximum heap size by default.
     * @param clients Part of the limit that is reserved for clients. By default a fifth of the
     *     first 100 MB and half of the rest.
     */
    record Memory(@Nullable DataSize limit, @Nullable DataSize clients) {}

    /**
     * Recent changes that each mirror keeps.
     *
     * @param minEvents Number of changes that are always kept, subject to max-bytes.
     * @param maxEvents Maximum number of changes.
     * @param span Age up to which changes are kept, subject to the other limits.
     * @param maxBytes Maximum memory for objects that only the history of one mirror refers to. All
     *     mirrors together also draw from kubemirror.memory.limit.
     */
    record HistoryProperties(
            @DefaultValue("100") @Min(value = 1, message = "is too small; use 1 or more")
                    int minEvents,
            @DefaultValue("102400") @Min(value = 1, message = "is too small; use 1 or more")
                    int maxEvents,
            @DefaultValue("75s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is negative; use a duration such as 75s")
                    Duration span,
            @DefaultValue("64MB") DataSize maxBytes) {

        /** Returns the limits of each mirror's history. */
        Window window() {
            if (maxEvents < minEvents) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.history.max-events",
                        maxEvents,
                        "%d is below min-events; use %d or more".formatted(maxEvents, minEvents));
            }
            if (maxBytes.toBytes() < 1) {
                throw new InvalidConfigurationPropertyValueException(
                        "kubemirror.history.max-bytes",
                        maxBytes,
                        "is too small; use a size such as 64MB");
            }
            return new Window(minEvents, maxEvents, span, maxBytes.toBytes());
        }
    }
}
