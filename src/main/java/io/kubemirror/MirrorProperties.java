package io.kubemirror;

import io.kubemirror.access.AccessPlan.AuthenticationMethod;
import io.kubemirror.access.AccessPlan.AuthorizationMode;
import io.kubemirror.api.read.ReadMode;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.upstream.kube.UpstreamSettings;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;

import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The configuration under {@code kubemirror} as it was written: bound and validated, but not yet
 * interpreted. {@link PlanReader} turns it into mirrors.
 *
 * @param upstream The API server and how to connect to it.
 * @param resources Resources to mirror, at least one. Each element has a resource and optionally
 *     namespaces, label-selector, field-selector, strategy, page-size, drop-fields, index-fields,
 *     metadata-only, max-objects, max-bytes, reads, and staleness-bound.
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
                                "there is nothing to mirror; set at least"
                                        + " kubemirror.resources[0].resource, for example to pods")
                List<@Valid ResourceProperties> resources,
        @DefaultValue Memory memory,
        @DefaultValue @Valid HistoryProperties history,
        @DefaultValue @Valid ShutdownProperties shutdown,
        @DefaultValue @Valid ConnectionProperties connections,
        @DefaultValue @Valid AccessProperties access,
        @DefaultValue List<String> allowedHosts,
        @DefaultValue("false") boolean allowUnauthenticated,
        @DefaultValue("false") boolean allowSecrets) {

    private static final String NEGATIVE_TIME = "is negative; use 0 or a time such as 30s";

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
            @DefaultValue List<String> namespaces,
            @DefaultValue("") String labelSelector,
            @DefaultValue("") String fieldSelector,
            @DefaultValue("auto") Strategy strategy,
            @DefaultValue("500")
                    @Min(value = 0, message = "is negative; use 0 for one page or more")
                    int pageSize,
            @DefaultValue List<String> dropFields,
            @DefaultValue List<String> indexFields,
            @DefaultValue("false") boolean metadataOnly,
            @DefaultValue("0") @Min(value = 0, message = "is negative; use 0 for no limit or more")
                    long maxObjects,
            @DefaultValue("0B") DataSize maxBytes,
            @DefaultValue("cache") ReadMode reads,
            @Nullable
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(
                            nanos = 1,
                            message =
                                    "is not positive; use a duration such as 2m, or leave it out to"
                                            + " answer however old the mirror is")
                    Duration stalenessBound) {}

    /**
     * The memory budget of the process: how much of the heap objects, history, upstream data, and
     * clients may use.
     *
     * @param limit Limit for everything together. Derived from the maximum heap size by default.
     * @param clients Part of the limit that is reserved for clients. By default a fifth of the
     *     first 100 MB and two fifths of the rest.
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
            @DefaultValue("64MB") DataSize maxBytes) {}

    /**
     * Graceful shutdown.
     *
     * @param delay Time during which requests are still served while readiness already reports the
     *     shutdown.
     * @param watchSpread Period over which open watches are ended.
     */
    record ShutdownProperties(
            @DefaultValue("0s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is negative; use a duration such as 5s")
                    Duration delay,
            @DefaultValue("2s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is negative; use a duration such as 5s")
                    Duration watchSpread) {}

    /**
     * Limits for client connections.
     *
     * @param max Maximum number of connections of all clients; 0 for no limit.
     * @param maxPerClient Maximum number of connections per client address; 0 for no limit.
     * @param managementMax Maximum number of connections to the management port. Beyond it a new
     *     connection replaces the one that has been idle for the longest time.
     * @param requestTimeout Maximum time for a request to arrive, measured from its first byte or
     *     from the start of the connection.
     */
    record ConnectionProperties(
            @DefaultValue("10000")
                    @Min(value = 0, message = "is negative; use 0 for no limit or more")
                    int max,
            @DefaultValue("0") @Min(value = 0, message = "is negative; use 0 for no limit or more")
                    int maxPerClient,
            @DefaultValue("100") @Min(value = 10, message = "is too small; use 10 or more")
                    int managementMax,
            @DefaultValue("10s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(
                            millis = 100,
                            message = "is too short; use 100ms or more, for example 10s")
                    Duration requestTimeout) {}

    /**
     * Authentication and authorization of clients.
     *
     * @param authentication Accepted authentication methods. Empty disables authentication.
     * @param authorization How requests of authenticated clients are authorized.
     * @param audiences Accepted token audiences; a token must be valid for at least one. Default:
     *     the API server's own.
     * @param tokenFile Path of a static token file with lines of the form
     *     token,user,uid,"group1,group2".
     * @param reviewTimeout Timeout of a review request to the API server.
     * @param recheckInterval Interval at which the permissions of open watches are checked again.
     * @param cache Cache of review results.
     */
    record AccessProperties(
            @DefaultValue List<AuthenticationMethod> authentication,
            @DefaultValue("access-review") AuthorizationMode authorization,
            @DefaultValue List<String> audiences,
            @Nullable String tokenFile,
            @DefaultValue("5s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(millis = 100, message = "is too short; use 100ms or more")
                    Duration reviewTimeout,
            @DefaultValue("1m")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(seconds = 1, message = "is too short; use 1000ms or more")
                    Duration recheckInterval,
            @DefaultValue @Valid Cache cache) {

        /**
         * Cache of review results.
         *
         * @param allowed TTL of positive review results.
         * @param denied TTL of negative review results.
         * @param grace How much longer positive results are used while the API server is
         *     unavailable.
         * @param size Maximum number of cached identities, and of cached permissions.
         */
        record Cache(
                @DefaultValue("1m")
                        @DurationUnit(ChronoUnit.SECONDS)
                        @DurationMin(message = "is too short; use 0ms or more")
                        Duration allowed,
                @DefaultValue("10s")
                        @DurationUnit(ChronoUnit.SECONDS)
                        @DurationMin(message = "is too short; use 0ms or more")
                        Duration denied,
                @DefaultValue("5m")
                        @DurationUnit(ChronoUnit.SECONDS)
                        @DurationMin(message = "is too short; use 0ms or more")
                        Duration grace,
                @DefaultValue("10000") @Min(value = 1, message = "is too small; use 1 or more")
                        int size) {}
    }
}
