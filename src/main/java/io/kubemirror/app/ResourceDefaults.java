package io.kubemirror.app;

import module java.base;

import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.reflector.ReflectorSettings.InitialRevision;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

import jakarta.validation.constraints.Min;

import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Settings of all resources that do not set their own.
 *
 * @param strategy How the initial state is read.
 * @param pageSize Number of objects per page of a list; 0 reads the collection in one page.
 * @param resourceVersion Which state the first synchronization asks for. With any, the API server
 *     answers from its watch cache and in one piece, perhaps with an old state.
 * @param resyncPeriod How long after a synchronization a collection is listed again although
 *     nothing failed; 0 for never. Clients see the differences, if there are any, as changes.
 * @param reads [KEY] Who answers gets and lists that ask for the most recent state.
 * @param stalenessBound How long the API server may be unavailable before reads of the most recent
 *     state get 429. Default: no limit.
 */
public record ResourceDefaults(
        @DefaultValue("auto") Strategy strategy,
        @DefaultValue("500") @Min(value = 0, message = MirrorProperties.NEGATIVE_PAGE) int pageSize,
        @DefaultValue("most-recent") InitialRevision resourceVersion,
        @DefaultValue("0s")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(message = MirrorProperties.NEGATIVE_TIME)
                Duration resyncPeriod,
        @DefaultValue("cache") ReadMode reads,
        @Nullable
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(nanos = 1, message = MirrorProperties.NO_BOUND)
                Duration stalenessBound) {}
