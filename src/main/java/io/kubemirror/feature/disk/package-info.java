/**
 * Mirrors on disk, from which the next process continues.
 *
 * <p>Each mirror has one file, {@code RESOURCE-HASH.mirror}, with the history of the mirror: its
 * oldest state, and the changes after it. The file {@code lock} is locked by the process.
 *
 * <p>Lengths and sizes are 32 bits, other numbers 64 bits, big-endian. Texts are a length and
 * UTF-8; revisions are texts and parts; times are milliseconds since 1970. Lists are a size and the
 * elements.
 *
 * <ul>
 *   <li>The beginning: {@code KUBEMIR6}, of which the first byte is 0 if the content was replaced,
 *       and 8 random bytes.
 *   <li>Each record: its length, its CRC-32C (32 bits), its payload. The checksum covers the one
 *       before it, too, so that a record of another file or place does not match.
 * </ul>
 *
 * <p>A payload begins with its kind (1 byte):
 *
 * <ul>
 *   <li>5, the first: JSON with what the file belongs to, the type, and the declared fields.
 *   <li>3, an object of the oldest state, in the order of their keys: object.
 *   <li>4, the oldest state is complete: its revision.
 *   <li>1, added or modified: object, revision, time.
 *   <li>2, deleted: key, revision, time.
 *   <li>0, end: when the server was last heard from, the last revision that the server lost in a
 *       restore or 0, a list of pairs of revisions between which the mirror has missed states, and
 *       the revision that is reached. A file without an end is not used.
 * </ul>
 *
 * <p>An object is its key, UID, revision, labels, fields, the JSON, and the positions of its
 * metadata and of its revision in the JSON, each from and to.
 *
 * <p>What follows a record that is incomplete or does not match is cut off. When a file is twice as
 * large as at its beginning, it is written anew.
 */
@NullMarked
package io.kubemirror.feature.disk;

import org.jspecify.annotations.NullMarked;
