/**
 * The values that all other packages use: resource types, keys, revisions, objects, changes,
 * selections, statuses. No I/O and no threads.
 */
@NullMarked
package io.kubemirror.model;

import org.jspecify.annotations.NullMarked;
