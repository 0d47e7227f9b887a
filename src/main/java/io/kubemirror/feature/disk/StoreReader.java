package io.kubemirror.feature.disk;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.kubemirror.feature.disk.StoreHeader.Owner;
import io.kubemirror.feature.disk.UntrustedStoreException.Reason;
import io.kubemirror.mirror.OverBudgetException;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.UnknownStates;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Reads the file of a mirror, and believes all of it or nothing. Only a last record that is
 * incomplete is left out: it was being written when the process ended.
 *
 * <p>Used by one thread, once.
 */
final class StoreReader {

    static final byte[] MAGIC = "KUBEMIRR".getBytes(US_ASCII);

    /** What a file begins with whose content readers do not see any more. */
    static final byte REPLACED = 0;

    /** The version of the format. Another one is not read. */
    static final int FORMAT = 1;

    static final int SALT = 16;

    /** No missed states. */
    static final UnknownStates NONE = new UnknownStates(Revision.ZERO, Revision.ZERO);

    /** The length of the beginning of a file. */
    static final int PREAMBLE = 8 + Integer.BYTES + SALT;

    /** The length of what comes before each record: its length and its checksum. */
    static final int FRAME = 2 * Integer.BYTES;

    /** The kinds of records after the first. */
    static final int OBJECTS = 1;

    static final int BASE = 2;
    static final int CHANGES = 3;

    /** The entries of a record of changes. The end is followed by the revision that is reached. */
    static final int END = 0;

    static final int UPSERT = 1;

    static final int DELETE = 2;
    static final int REFRESH = 3;

    /** Ends a record that is a part of the first history: it is used only with the next one. */
    static final int MORE = 4;

    /** The maximum length of a record, much more than any object. */
    private static final int MAX = 256 * 1024 * 1024;

    private static final int BUFFER = 256 * 1024;

    private final Owner owner;
    private final byte @Nullable [] secret;
    private final Instant now;
    private final MemoryBudget memory;
    private final Restoration restoration;
    private final Predicate<StoreHeader> expected;

    private byte[] salt = {};
    private @Nullable RecordCipher cipher;
    private @Nullable StoreHeader header;
    private byte[] scratch = new byte[BUFFER];

    /** The memory for larger records. */
    private long acquired;

    private long records;
    private long end;
    private long baseEnd;
    private long content;

    /** Whether the first history is complete. Parts of it may be no states of the server. */
    private boolean complete;

    private Instant time = Instant.MIN;
    private Instant contact = Instant.EPOCH;
    private Revision revision = Revision.ZERO;
    private Revision lost = Revision.ZERO;
    private UnknownStates lapse = NONE;
    private List<UnknownStates> unknown = List.of();

    /**
     * Creates a reader.
     *
     * @param owner what the file has to belong to
     * @param secret the key, null for none
     * @param memory the budget for records that are larger than usual
     * @param restoration receives the content
     * @param expected tests whether the mirror can have objects of that type
     */
    StoreReader(
            Owner owner,
            byte @Nullable [] secret,
            Instant now,
            MemoryBudget memory,
            Restoration restoration,
            Predicate<StoreHeader> expected) {
        this.owner = owner;
        this.secret = secret == null ? null : secret.clone();
        this.now = now;
        this.memory = memory;
        this.restoration = restoration;
        this.expected = expected;
    }

    /**
     * A file whose content is that of the mirror now.
     *
     * @param salt the random bytes of the file
     * @param records the number of its records
     * @param end the length of these records
     * @param baseEnd the length up to the first change
     * @param content the size of the objects in the changes
     * @param time when the last record was written
     * @param lost the last revision that the server lost in a restore
     * @param lapse the states that were missed although clients may have seen them
     */
    record Trusted(
            @SuppressWarnings("ArrayRecordComponent") byte[] salt,
            @Nullable RecordCipher cipher,
            long records,
            long end,
            long baseEnd,
            long content,
            Instant time,
            Revision lost,
            UnknownStates lapse) {}

    /**
     * Reads a file and makes its content that of the mirror.
     *
     * @throws UntrustedStoreException if it is not used; the mirror is empty then
     */
    Trusted read(Path path) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path), BUFFER)) {
            read(in, Files.size(path));
            StoreHeader stored = header;
            if (stored == null || !complete) {
                throw corrupt("its first history is not complete", null);
            }
            restoration.lapsed(lapse);
            restoration.complete(
                    stored.type(), stored.declared(), revision, lost, unknown, now, contact);
            return new Trusted(salt, cipher, records, end, baseEnd, content, time, lost, lapse);
        } catch (IOException e) {
            restoration.discard();
            throw e;
        } catch (OverBudgetException e) {
            restoration.discard();
            throw new UntrustedStoreException(Reason.MEMORY, "it does not fit into the memory", e);
        } catch (RuntimeException e) {
            restoration.discard();
            throw corrupt("it makes no sense", e);
        } finally {
            memory.release(acquired);
        }
    }

    private static UntrustedStoreException corrupt(String problem, @Nullable Throwable cause) {
        return cause == null
                ? new UntrustedStoreException(Reason.CORRUPT, problem)
                : new UntrustedStoreException(Reason.CORRUPT, problem, cause);
    }

    private void read(InputStream in, long length) throws IOException {
        begin(in);
        while (end + FRAME <= length) {
            ByteBuffer head = ByteBuffer.wrap(in.readNBytes(FRAME));
            int size = head.getInt();
            int checksum = head.getInt();
            if (size < 0 || size > MAX) {
                throw corrupt("a record has no valid length", null);
            }
            long next = end + FRAME + size;
            if (next > length) {
                return;
            }
            reserve(size);
            int read = in.readNBytes(scratch, 0, size);
            if (read < size || checksum(salt, records, scratch, size) != checksum) {
                if (next == length) {
                    return;
                }
                throw corrupt("a checksum does not match", null);
            }
            accept(payload(size));
            records++;
            end = next;
            baseEnd = baseEnd < 0 ? end : baseEnd;
        }
    }

    /** A length may be wrong, so it must not cost more memory than there is. */
    private void reserve(int size) throws UntrustedStoreException {
        if (size > scratch.length) {
            long more = (secret == null ? 1L : 2L) * size;
            if (!memory.tryAcquire(more)) {
                throw new UntrustedStoreException(Reason.MEMORY, "a record does not fit into it");
            }
            acquired += more;
            scratch = new byte[size];
        }
    }

    private void begin(InputStream in) throws IOException {
        byte[] preamble = in.readNBytes(PREAMBLE);
        if (preamble.length > 0 && preamble[0] == REPLACED) {
            throw new UntrustedStoreException(Reason.REPLACED, "its content was replaced");
        }
        if (preamble.length < PREAMBLE
                || !Arrays.equals(preamble, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw corrupt("it is no file of kubemirror", null);
        }
        int format = ByteBuffer.wrap(preamble).getInt(MAGIC.length);
        if (format != FORMAT) {
            throw new UntrustedStoreException(Reason.VERSION, "its format is version " + format);
        }
        salt = Arrays.copyOfRange(preamble, PREAMBLE - SALT, PREAMBLE);
        end = PREAMBLE;
    }

    /** Returns the checksum of a record, which another record or file does not have. */
    static int checksum(byte[] salt, long sequence, byte[] payload, int length) {
        CRC32C sum = new CRC32C();
        sum.update(salt);
        sum.update(
                ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                        .putLong(sequence)
                        .putInt(length)
                        .flip());
        sum.update(payload, 0, length);
        return (int) sum.getValue();
    }

    private RecordParser payload(int size) throws UntrustedStoreException {
        if (cipher == null) {
            return new RecordParser(scratch, size);
        }
        try {
            byte[] plain = cipher.decrypt(records, scratch, size);
            return new RecordParser(plain, plain.length);
        } catch (GeneralSecurityException e) {
            throw corrupt("a record is not authentic", e);
        }
    }

    private void accept(RecordParser record) throws UntrustedStoreException {
        if (header == null) {
            header = StoreHeader.read(record);
            owner.check(header.owner());
            if (!expected.test(header)) {
                throw new UntrustedStoreException(Reason.SERVER, "the type is another one now");
            }
            cipher = secret == null ? null : new RecordCipher(secret, salt, record.all());
        } else {
            switch (record.octet()) {
                case OBJECTS -> objects(record);
                case BASE -> base(record);
                case CHANGES -> changes(record);
                default -> throw corrupt("a record is of an unknown kind", null);
            }
        }
        if (!record.isAtEnd()) {
            throw corrupt("a record is too long", null);
        }
    }

    private void objects(RecordParser record) throws UntrustedStoreException {
        if (baseEnd != 0) {
            throw corrupt("the state does not come first", null);
        }
        while (!record.isAtEnd()) {
            restoration.add(record.object());
        }
    }

    private void base(RecordParser record) throws UntrustedStoreException {
        if (baseEnd != 0 || record.length() != restoration.size()) {
            throw corrupt("the state is not complete", null);
        }
        head(record);
        reached(record);
        restoration.begin(revision);
        baseEnd = -1;
    }

    /** Reads what the record of the state and each record of changes begin with. */
    private void head(RecordParser record) throws UntrustedStoreException {
        Instant written = Instant.ofEpochMilli(record.number());
        if (written.isAfter(now) || written.isBefore(time)) {
            throw new UntrustedStoreException(Reason.CLOCK, "the clock went back");
        }
        time = written;
        contact = Instant.ofEpochMilli(record.number());
        if (contact.isAfter(now)) {
            throw new UntrustedStoreException(Reason.CLOCK, "the clock went back");
        }
        lost = record.revision();
        lapse = new UnknownStates(record.revision(), record.revision());
        unknown =
                IntStream.range(0, record.length())
                        .mapToObj(_ -> new UnknownStates(record.revision(), record.revision()))
                        .toList();
    }

    private void changes(RecordParser record) throws UntrustedStoreException {
        if (baseEnd == 0) {
            throw corrupt("the state does not come first", null);
        }
        head(record);
        int entry = record.octet();
        for (; entry != END && entry != MORE; entry = record.octet()) {
            switch (entry) {
                case UPSERT -> {
                    Revision of = record.revision();
                    Duration age = age(record);
                    restoration.upsert(counted(record.object()), of, age);
                }
                case DELETE -> {
                    Revision of = record.revision();
                    Duration age = age(record);
                    restoration.delete(new ObjectKey(record.text()), of, age);
                }
                case REFRESH -> restoration.refresh(counted(record.object()));
                default -> throw corrupt("a change is of an unknown kind", null);
            }
        }
        complete |= entry == END;
        reached(record);
    }

    private void reached(RecordParser record) throws UntrustedStoreException {
        Revision reached = record.revision();
        if (reached.isBefore(revision)) {
            throw corrupt("its revision went back", null);
        }
        revision = reached;
    }

    private Duration age(RecordParser record) {
        return Duration.between(time, now).plusMillis(record.number());
    }

    private KubeObject counted(KubeObject object) {
        content += object.json().length;
        return object;
    }
}
