/**
 * The values everything else speaks in: resource types, keys, revisions, objects, changes,
 * selections, statuses. Nothing here does I/O or knows of threads.
 */
@NullMarked
package io.kubemirror.model;

import org.jspecify.annotations.NullMarked;
