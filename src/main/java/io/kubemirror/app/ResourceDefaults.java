package io.kubemirror.app;

import static io.kubemirror.app.PropertyChecks.refuse;

import module java.base;

import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Settings of all resources that do not set their own.
 *
 * @param strategy How the initial state is read.
 * @param pageSize Number of objects per page of a list; 0 reads the collection in one page.
 * @param reads [KEY] Who answers gets and lists that ask for the most recent state.
 * @param stalenessBound How long the API server may be unavailable before reads of the most recent
 *     state get 429. Default: no limit.
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
