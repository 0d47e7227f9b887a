package io.kubemirror.mirror;

import java.util.List;

/**
 * Knows who follows which mirror. The mirrors themselves do not: a subscription is nothing but a
 * revision.
 */
@FunctionalInterface
public interface WatcherDirectory {

    /** Those who follow a mirror now, in no order. */
    List<WatcherInfo> of(Mirror mirror);
}
