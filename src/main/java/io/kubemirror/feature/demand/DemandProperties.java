package io.kubemirror.feature.demand;

import module java.base;

import io.kubemirror.app.ConfiguredResource;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.ResourceExtension;
import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.ResourceElement;

import jakarta.validation.Valid;

import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.validation.annotation.Validated;

/**
 * Which mirrors start with the first request for them.
 *
 * @param resources [KEY] Resources to mirror, at least one. Each element is a resource, or has a
 *     resource and settings of its own.
 */
@Validated
@ConfigurationProperties("kubemirror")
record DemandProperties(@DefaultValue List<@Valid StartedResource> resources)
        implements ResourceExtension {

    /** How long a mirror may be idle, unless it is configured. */
    private static final Duration IDLE = Duration.ofMinutes(10);

    private static final String NO_EFFECT =
            "has no effect on demand; use start=always, or remove it";

    private static final String NOT_ALL_FIELDS =
            "names fields that not all resources of a pattern have; name one resource, or remove"
                    + " it";

    /** When a mirror starts. */
    enum MirrorStart {
        /** With the process. */
        ALWAYS,
        /** With the first request for it. */
        ON_DEMAND
    }

    /**
     * A resource to mirror.
     *
     * @param resource Resource in kubectl notation.
     * @param start When the mirror starts: with the process, or on demand with the first request
     *     for it.
     * @param idle How long a mirror on demand may be without requests and watches before it ends.
     *     Default: 10m.
     */
    @ConfigurationPropertiesSource
    record StartedResource(
            @DefaultValue("") String resource,
            @DefaultValue("always") MirrorStart start,
            @Nullable
                    @DurationUnit(ChronoUnit.SECONDS)
                    @DurationMin(seconds = 1, message = "is too short; use 1s or more")
                    Duration idle)
            implements ResourceElement {

        boolean isOnDemand() {
            return start == MirrorStart.ON_DEMAND;
        }

        boolean isPattern() {
            return OnDemandResource.isPattern(resource);
        }
    }

    /** Returns the resources on demand, in the order of the configuration. */
    static List<OnDemandResource> onDemand(BoundRecords records) {
        DemandProperties properties = records.get(DemandProperties.class);
        return ConfiguredResource.all(records).stream()
                .flatMap(resource -> properties.deferred(resource).stream())
                .toList();
    }

    /** A pattern is never one resource; {@link #mirrored} refuses it unless it is on demand. */
    @Override
    public Optional<OnDemandResource> deferred(ConfiguredResource resource) {
        StartedResource element = resources.get(resource.index());
        return element.isOnDemand() || element.isPattern()
                ? Optional.of(
                        new OnDemandResource(
                                element.resource(),
                                element.idle() == null ? IDLE : element.idle(),
                                resource.namespaces().equals(List.of("")),
                                resource.areSecretsAllowed(),
                                name ->
                                        resource.definitions(name).stream()
                                                .map(MirrorDefinition::deferred)
                                                .toList()))
                : Optional.empty();
    }

    /** Checks what a mirror on demand, or a pattern, cannot have. */
    @Override
    public MirroredPart mirrored(ConfiguredResource resource) {
        StartedResource element = resources.get(resource.index());
        resource.refuse(
                "idle",
                element.idle() != null && !element.isOnDemand(),
                "has no effect on a mirror that starts with the process; set start=on-demand, or"
                        + " remove it");
        resource.refuse(
                "start",
                element.isPattern() && !element.isOnDemand(),
                "is not possible for a pattern, which stands for many resources; use on-demand");
        resource.refuse(
                "resource",
                element.isPattern() && !OnDemandResource.isValid(element.resource()),
                "is not a pattern; use * for all resources, *. for those of the core group, or a"
                        + " group such as *.apps");
        if (element.isOnDemand()) {
            resource.refuseSyncTimeout(NO_EFFECT);
        }
        if (element.isPattern()) {
            resource.refuseFields(NOT_ALL_FIELDS);
        }
        return MirroredPart.WHOLE;
    }
}
