package io.kubemirror;

import io.kubemirror.access.AccessPlan.Permission;
import io.kubemirror.access.AccessPlan.Proof;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.web.ReadMode;

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
 * The configuration under {@code kubemirror}, as it was written: bound and validated, not yet
 * understood. {@link MirrorPlan} reads the texts in it.
 *
 * @param upstream Where the API server is, and how to treat it.
 * @param resources What to mirror, at least one element: its resource, and if need be namespaces,
 *     label-selector, field-selector, strategy, page-size, drop-fields, index-fields,
 *     metadata-only, reads and staleness-bound.
 * @param history How much of the recent past each mirror keeps for watches to resume from.
 * @param shutdown How the process ends.
 * @param connections How many connections clients may have, and how fast they have to ask.
 * @param access Who may read, if that is not everybody who can reach the address.
 * @param allowedHosts Further names by which kubemirror may be asked without credentials: a whole
 *     name, *. and the end of one, or * for all. Loopback's own names are allowed anyway; on other
 *     addresses so are addresses, names without a dot, *.svc and *.cluster.local.
 * @param allowUnauthenticated Whether to serve an address other than loopback without TLS. Only for
 *     processes that something else protects, such as a service mesh or a network policy.
 * @param allowSecrets Whether secrets may be mirrored, which are then in this process's memory and
 *     told to whoever may read it.
 */
@Validated
@ConfigurationProperties(prefix = "kubemirror", ignoreUnknownFields = false)
record MirrorProperties(
        @DefaultValue @Valid Upstream upstream,
        @DefaultValue
                @NotEmpty(
                        message =
                                "there is nothing to mirror; set at least"
                                        + " kubemirror.resources[0].resource, for example to pods")
                List<@Valid Resource> resources,
        @DefaultValue @Valid History history,
        @DefaultValue @Valid Shutdown shutdown,
        @DefaultValue @Valid Connections connections,
        @DefaultValue @Valid Access access,
        @DefaultValue List<String> allowedHosts,
        @DefaultValue("false") boolean allowUnauthenticated,
        @DefaultValue("false") boolean allowSecrets) {

    private static final String NEGATIVE_TIME = "is negative; use 0 or a time such as 30s";

    /**
     * Where the API server is, and how to treat it. Without an address: the pod's service account,
     * then the file in {@code KUBECONFIG}, then {@code ~/.kube/config}.
     *
     * @param server URL of the API server, used without credentials; overrides everything else.
     * @param kubeconfig Path of a kubeconfig file.
     * @param context Name of a context in the kubeconfig; its current context if not set.
     * @param concurrentLists How many collections are listed at the same time at most.
     * @param startSpread Time over which the reflectors of a process start, each at a random
     *     moment; a single one starts at once.
     * @param internalErrorWindow How long a watch is tried again after internal errors of the
     *     server, before the collection is listed.
     * @param initialSilence How long a stream of the present state may pause before it is complete.
     * @param auditInterval How often each mirror is compared with the API server, which costs it a
     *     list of metadata in pages; 0 for never.
     * @param lostAfter How long the API server may give no answer before health says that the
     *     connection is lost.
     */
    record Upstream(
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
     * @param resource Resource in kubectl's notation: pods, deployments.apps or
     *     widgets.v1.example.com.
     * @param namespaces Namespaces to mirror, each with a list-watch of its own; all of them in one
     *     list-watch if empty.
     * @param labelSelector Label selector sent to the API server.
     * @param fieldSelector Field selector sent to the API server.
     * @param strategy How to get the present state.
     * @param pageSize Number of objects in a page of a list; 0 for everything in one page.
     * @param dropFields Paths of members to cut out of each object before it is stored.
     * @param indexFields Paths of fields that clients may select by, beside those the type has
     *     anyway.
     * @param metadataOnly Whether to mirror nothing of each object but its metadata.
     * @param reads Who answers gets and lists for the newest state.
     * @param stalenessBound How long the API server may be away until reads for the newest state
     *     are refused; answered however old the mirror is if not set.
     */
    @ConfigurationPropertiesSource
    record Resource(
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
     * How much of the recent past each mirror keeps.
     *
     * @param minEvents Number of changes that is always kept, within the limit of bytes.
     * @param maxEvents Number of changes that is never exceeded.
     * @param span Age up to which changes are kept, within the other limits.
     * @param maxBytes Memory for what only the past keeps alive.
     */
    record History(
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
     * How the process ends.
     *
     * @param delay How long everything is served on while readiness says already that the process
     *     will end.
     * @param watchSpread Over how much time the ends of open watches are spread.
     */
    record Shutdown(
            @DefaultValue("0s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is negative; use a duration such as 5s")
                    Duration delay,
            @DefaultValue("2s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(message = "is negative; use a duration such as 5s")
                    Duration watchSpread) {}

    /**
     * How many connections clients may have, and how fast they have to ask.
     *
     * @param max Connections of all clients together; 0 for no limit.
     * @param maxPerClient Connections of one client address; 0 for no limit.
     * @param requestTimeout How long a request may take to arrive, from its first byte or from the
     *     beginning of the connection.
     */
    record Connections(
            @DefaultValue("10000")
                    @Min(value = 0, message = "is negative; use 0 for no limit or more")
                    int max,
            @DefaultValue("0") @Min(value = 0, message = "is negative; use 0 for no limit or more")
                    int maxPerClient,
            @DefaultValue("10s")
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(
                            millis = 100,
                            message = "is too short; use 100ms or more, for example 10s")
                    Duration requestTimeout) {}

    /**
     * Who may read.
     *
     * @param authentication What clients may show to be known by; nobody is asked for anything if
     *     empty.
     * @param authorization What decides about requests of clients that are known.
     * @param audiences Whom reviewed tokens must be meant for, one of them; the API server itself
     *     if empty.
     * @param tokenFile Path of a file of tokens, with token,user,uid,"group1,group2" in each line.
     * @param reviewTimeout How long the API server may take for a review.
     * @param recheckInterval How often the permissions of open watches are looked at again.
     * @param cache How long reviews are believed.
     */
    record Access(
            @DefaultValue List<Proof> authentication,
            @DefaultValue("access-review") Permission authorization,
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
         * How long reviews are believed.
         *
         * @param allowed How long an identity or a permission is believed.
         * @param denied How long a refusal is believed.
         * @param grace How much longer identities and permissions are believed while the API server
         *     does not answer.
         * @param size How many identities, and how many permissions, are remembered at most.
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
