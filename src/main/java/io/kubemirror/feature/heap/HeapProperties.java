package io.kubemirror.feature.heap;

import io.kubemirror.app.config.NeedsRestart;

import jakarta.validation.constraints.PositiveOrZero;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * When the heap is collected.
 *
 * @param gcPercent How much the heap may grow over what was alive after the last full collection,
 *     in percent, like GOGC of a Go program; 0 for no collection before the heap is full.
 */
@NeedsRestart
@Validated
@ConfigurationProperties("kubemirror.heap")
public record HeapProperties(@DefaultValue("100") @PositiveOrZero int gcPercent) {}
