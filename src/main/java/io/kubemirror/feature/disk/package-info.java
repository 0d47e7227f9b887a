/**
 * Mirrors on disk, from which the next process continues.
 *
 * <p>Each mirror has one file, {@code RESOURCE-HASH.mirror}, with the history of the mirror: its
 * oldest state, and the changes after it. A file that is being written ends with {@code .new} and
 * gets its name when it is complete and on the device. The file {@code lock} is locked by the
 * process.
 *
 * <p>Numbers have seven bits in each byte, the lowest first, and the highest bit set in all bytes
 * but the last. Texts are a number of bytes and UTF-8. Integers are big-endian.
 *
 * <ul>
 *   <li>The beginning: {@code KUBEMIRR}, of which the first byte is 0 if the content was replaced,
 *       the version of the format (32 bits, 1), 16 random bytes.
 *   <li>Each record: its length (32 bits), its CRC-32C (32 bits), its payload. The checksum covers
 *       the random bytes, the number of the record in the file (64 bits), its length, and its
 *       payload, so that a record of another file or place does not match.
 * </ul>
 *
 * <p>Payloads of records:
 *
 * <ul>
 *   <li>The first: version of kubemirror, server, settings, name of the key or nothing; the type:
 *       group, version, kind, plural, singular, whether it is namespaced (1 byte), short names,
 *       categories; the declared fields: label, fallback, paths; why they are not known, or
 *       nothing.
 *   <li>1, objects: objects of the oldest state, in the order of their keys.
 *   <li>2, end of the state: the number of objects, the times, the revision of the state.
 *   <li>3, changes: the times, entries, 0 or 4, the revision that is reached. 4: it is a part of
 *       the first history, which is used only if all of it is there.
 * </ul>
 *
 * <p>The times are when the record was written and when the server was last heard from
 * (milliseconds since 1970), the last revision that the server lost in a restore or 0, the two
 * revisions between which an earlier restart missed states that clients may have seen or 0 twice,
 * and the pairs of revisions between which the mirror has missed states.
 *
 * <p>Entries of changes:
 *
 * <ul>
 *   <li>1, added or modified: revision, milliseconds before the record was written, object.
 *   <li>2, deleted: revision, milliseconds, key.
 *   <li>3, refreshed, an update that is no change for readers: object.
 * </ul>
 *
 * <p>An object is its key, UID, revision, labels, fields, the positions of its metadata and of its
 * revision in the JSON, and the JSON. Labels and fields are 0 if they are those of the object
 * before it in the record, otherwise 1, a number, and names and values.
 *
 * <p>With a key, the payloads of all records but the first are a nonce of 12 bytes and what
 * AES-256-GCM makes of the above. The random bytes and the number of the record are authenticated
 * with it. The key of a file is derived from the configured key by HKDF-SHA-256 with the random
 * bytes as salt and the SHA-256 of the first record as information.
 *
 * <p>A last record that is incomplete or does not match is cut off. If any other record is wrong,
 * the file is discarded. When appended changes have written so much that a new file does not bring
 * the bytes above 1.45 times the size of the changed objects, the present history takes the place
 * of the old file.
 */
@NullMarked
package io.kubemirror.feature.disk;

import org.jspecify.annotations.NullMarked;
