/**
 * Mirrors on disk, from which the next process continues.
 *
 * <p>Each mirror has one file, {@code RESOURCE-HASH.mirror}, with the history of the mirror: its
 * oldest state, and the changes after it. A file that is being written ends with {@code .new} and
 * gets its name when it is complete and on the device. The file {@code lock} is locked by the
 * process.
 *
 * <p>Lengths and sizes are 32 bits, other numbers 64 bits, big-endian. Texts are a length and
 * UTF-8; revisions are texts and parts. Lists are a size and the elements.
 *
 * <ul>
 *   <li>The beginning: {@code KUBEMIRR}, of which the first byte is 0 if the content was replaced,
 *       the version of the format (32 bits, 5), 16 random bytes.
 *   <li>Each record: its length, its CRC-32C (32 bits), its payload. The checksum covers the random
 *       bytes, the number of the record in the file (64 bits), its length, and its payload, so that
 *       a record of another file or place does not match.
 * </ul>
 *
 * <p>The first record has what the file belongs to: version of kubemirror, server, settings; the
 * type: group, version, kind, plural, singular, whether it is namespaced (1 byte), short names,
 * categories; the declared fields: label, paths, fallback; why they are not known, or nothing; what
 * decides how objects look at one revision, or nothing.
 *
 * <p>All others begin with when they were written (milliseconds since 1970). Entries follow, each
 * with its kind (1 byte):
 *
 * <ul>
 *   <li>3, an object of the oldest state, in the order of their keys: object.
 *   <li>4, the oldest state is complete: its revision.
 *   <li>1, added or modified: object, revision, milliseconds before the record was written.
 *   <li>2, deleted: key, revision, milliseconds.
 *   <li>0, end: when the server was last heard from (milliseconds since 1970), the last revision
 *       that the server lost in a restore or 0, a list of pairs of revisions between which the
 *       mirror has missed states, and the revision that is reached.
 * </ul>
 *
 * <p>The records of the first history, which is used only as a whole, have no end except the last.
 *
 * <p>An object is its key, UID, revision, labels, fields, the JSON, and the positions of its
 * metadata and of its revision in the JSON, each from and to. Labels and fields are 0 (1 byte) if
 * they are those of the object before it in the record, otherwise 1 and a list of names and values.
 *
 * <p>A last record that is incomplete or does not match is cut off. If any other record is wrong,
 * the file is discarded. When appended changes have written so much that a new file does not bring
 * the bytes above 1.45 times the size of the changed objects, the present history takes the place
 * of the old file.
 */
@NullMarked
package io.kubemirror.feature.disk;

import org.jspecify.annotations.NullMarked;
