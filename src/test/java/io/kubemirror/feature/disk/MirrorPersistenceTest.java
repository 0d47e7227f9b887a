package io.kubemirror.feature.disk;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import module java.base;

import io.kubemirror.app.health.Finding;
import io.kubemirror.feature.disk.PersistenceFixture.Setup;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.UpstreamStatus.State;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a process finds on disk that another one has left. */
class MirrorPersistenceTest {

    @TempDir Path directory;

    private Setup setup() {
        return new Setup(directory);
    }

    @Test
    void restored_mirror_shows_what_the_killed_one_showed() {
        PersistenceFixture killed = changed(setup().start()).kill();

        PersistenceFixture restored = setup().at(killed.now()).start();

        assertThat(restored.shown()).isEqualTo(killed.shown()).hasSizeGreaterThan(6);
        assertThat(restored.mirror().type()).contains(ServedTypes.CONFIGMAPS);
        assertThat(restored.mirror().floor()).isEqualTo(killed.mirror().floor());
    }

    /** The next process shows what a killed one has shown. */
    private void assertRestored(PersistenceFixture killed) {
        assertThat(setup().at(killed.now()).start().shown()).isEqualTo(killed.shown());
    }

    /** A list, changes, a file with them, and more changes after that. */
    private static PersistenceFixture changed(PersistenceFixture process) {
        process.list(10, object("a/x", 1), object("a/y", "uid", 2, Map.of("app", "web")));
        process.writer().upsert(object("a/z", 11));
        process.stored();
        process.writer().upsert(object("a/x", 12));
        process.store();
        process.writer().delete(new ObjectKey("a/y"), new Revision("13"));
        process.writer().upsert(object("b/x", 14));
        process.writer().bookmark(new Revision("20"));
        process.store();
        return process;
    }

    @Test
    void restored_mirror_is_stale_since_the_last_contact() {
        PersistenceFixture killed = changed(setup().start()).kill();

        PersistenceFixture restored = setup().at(killed.now().plus(Duration.ofMinutes(3))).start();

        assertThat(restored.mirror().upstream().state()).isEqualTo(State.STALE);
        assertThat(restored.mirror().upstream().contact()).isEqualTo(killed.now());
        assertThat(restored.mirror().upstream().problem()).contains("restored");
    }

    @Test
    void quiet_mirror_keeps_more_history_than_its_minimum() {
        PersistenceFixture killed = setup().start().list(10);
        for (int revision = 11; revision < 31; revision++) {
            killed.writer().upsert(object("a/x", revision));
        }
        killed.pass(Duration.ofHours(1));
        killed.stored().kill();

        PersistenceFixture restored = setup().at(killed.now()).start();

        assertThat(restored.mirror().start(new Revision("10")))
                .isInstanceOf(StartPosition.From.class);
        assertThat(restored.shown()).isEqualTo(killed.shown());
    }

    @Test
    void file_that_is_truncated_or_has_a_flipped_bit_anywhere_is_not_half_believed()
            throws IOException {
        Set<List<String>> shown = new HashSet<>();
        byte[] whole = recorded(shown);
        Random random = new Random(17);
        int restored = 0;
        for (int index = 0; index < whole.length; index++) {
            byte[] flipped = whole.clone();
            flipped[index] ^= (byte) (1 << random.nextInt(8));
            for (byte[] file : List.of(Arrays.copyOf(whole, index), flipped)) {
                List<String> found = restoredFrom(file);
                assertThat(found.isEmpty() || shown.contains(found)).as("byte %d", index).isTrue();
                restored += found.isEmpty() ? 0 : 1;
            }
        }
        assertThat(restored).isPositive();
    }

    /** Returns a file, and adds what was shown when each of its records was written. */
    private byte[] recorded(Set<List<String>> shown) throws IOException {
        PersistenceFixture process = setup().start().list(10, object("a/x", 1));
        process.stored();
        shown.add(process.shown());
        for (int revision = 11; revision < 17; revision++) {
            process.writer().upsert(object("a/" + revision % 3, revision));
            process.store();
            shown.add(process.shown());
        }
        process.kill();
        return Files.readAllBytes(process.file());
    }

    private List<String> restoredFrom(byte[] file) throws IOException {
        Path other = Files.createTempDirectory(directory, "restored");
        List<Path> stored = new ArrayList<>();
        try (var files = Files.list(directory)) {
            files.filter(Files::isRegularFile)
                    .filter(one -> !one.endsWith("lock"))
                    .forEach(stored::add);
        }
        Files.write(other.resolve(stored.getFirst().getFileName()), file);
        PersistenceFixture restored =
                setup().in(other).at(Instant.parse("2026-01-01T01:00:00Z")).start();
        List<String> shown = restored.shown();
        restored.kill();
        return shown;
    }

    /** Damages a file of a process that was killed. */
    @FunctionalInterface
    interface Damage {
        void to(RandomAccessFile file) throws IOException;
    }

    static Stream<Arguments> unusable() {
        Damage none = _ -> {};
        UnaryOperator<Setup> same = setup -> setup;
        return Stream.of(
                arguments(
                        "server",
                        (UnaryOperator<Setup>) next -> next.of("https://two", "", "1.0"),
                        none),
                arguments(
                        "configuration",
                        (UnaryOperator<Setup>) next -> next.of("https://one", "drop", "1.0"),
                        none),
                arguments(
                        "version",
                        (UnaryOperator<Setup>) next -> next.of("https://one", "", "1.1"),
                        none),
                arguments(
                        "format",
                        same,
                        (Damage)
                                file -> {
                                    file.seek(7);
                                    file.write('5');
                                }),
                // A length that is wrong does not cost the memory of what is not there.
                arguments(
                        "length of a record",
                        same,
                        (Damage)
                                file -> {
                                    file.seek(MirrorFile.PREAMBLE);
                                    file.writeInt(200 * 1024 * 1024);
                                    file.setLength(201 * 1024 * 1024);
                                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unusable")
    void file_with_another_origin_or_form_is_discarded(
            String difference, UnaryOperator<Setup> next, Damage damage) throws IOException {
        PersistenceFixture killed = changed(setup().start()).kill();
        try (RandomAccessFile file = new RandomAccessFile(killed.file().toFile(), "rw")) {
            damage.to(file);
        }

        PersistenceFixture process = next.apply(setup().at(killed.now())).start();

        assertThat(process.shown()).isEmpty();
        assertThat(process.files()).isEmpty();
        assertThat(process.restores("discarded")).isOne();
    }

    @Test
    void file_is_removed_when_no_mirror_has_claimed_it_for_ten_minutes() {
        PersistenceFixture killed = changed(setup().start()).kill();

        PersistenceFixture process = setup().of(ServedTypes.SECRETS).at(killed.now()).start();
        process.pass(Duration.ofMinutes(9));
        process.store();
        assertThat(process.files()).hasSize(1);
        process.pass(Duration.ofMinutes(2));
        process.store();
        assertThat(process.files()).isEmpty();
    }

    /** Ages are not negative, and the server was not heard from in the future. */
    @Test
    void file_from_the_future_is_restored_as_one_of_the_present() {
        PersistenceFixture killed = changed(setup().start()).kill();

        PersistenceFixture process = setup().at(killed.now().minus(Duration.ofHours(1))).start();

        assertThat(process.shown()).isEqualTo(killed.shown());
        assertThat(process.mirror().upstream().contact()).isEqualTo(process.now());
    }

    @Test
    void file_that_does_not_fit_into_the_memory_is_discarded() {
        PersistenceFixture killed = changed(setup().start()).kill();
        MemoryBudget small = MemoryBudget.of(1_500);

        PersistenceFixture process = setup().within(small, Long.MAX_VALUE).at(killed.now()).start();

        assertThat(process.shown()).isEmpty();
        assertThat(small.used()).isZero();
    }

    /** A reader of the new content may hold revisions that mean something else in the old. */
    @Test
    void file_of_replaced_content_is_not_used() {
        PersistenceFixture process = changed(setup().start());
        process.list(30, object("a/other", 25));
        process.kill();

        PersistenceFixture next = setup().at(process.now()).start();
        assertThat(next.mirror().snapshot()).isEmpty();
        assertThat(next.files()).isEmpty();
        next.list(30, object("a/other", 25)).stored().kill();
        assertRestored(next);
    }

    /** Nothing is invented, so the file goes on. */
    @Test
    void list_without_a_difference_keeps_the_file() throws IOException {
        PersistenceFixture process = changed(setup().start());
        Path file = process.file();
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        long size = Files.size(file);

        process.list(30, process.mirror().snapshot().orElseThrow().objects());
        process.stored();

        assertThat(Files.readAttributes(file, BasicFileAttributes.class).fileKey()).isEqualTo(key);
        assertThat(Files.size(file)).isBetween(size + 1, size + 200);
        process.kill();
        PersistenceFixture restored = setup().at(process.now()).start();
        assertThat(restored.shown()).isEqualTo(process.shown());
        assertThat(restored.mirror().isMissed(new Revision("25"))).isTrue();
        assertThat(restored.mirror().isMissed(new Revision("30"))).isFalse();
    }

    @Test
    void removed_mirror_has_no_file() {
        PersistenceFixture process = changed(setup().start());
        MirrorSet mirrors = new MirrorSet();
        mirrors.update(List.of(process.mirror()));
        mirrors.update(List.of());
        process.store();

        assertThat(process.files()).isEmpty();
    }

    @Test
    void secrets_are_not_stored() throws IOException {
        PersistenceFixture process = changed(setup().of(ServedTypes.SECRETS).start());

        assertThat(process.files()).isEmpty();
    }

    @Test
    void only_the_owner_can_read_files() throws IOException {
        Path own = directory.resolve("created");
        PersistenceFixture process = changed(setup().in(own).start());

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(process.file())))
                .isEqualTo("rw-------");
        Path lock = own.resolve("lock");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lock)))
                .isEqualTo("rw-------");
    }

    /** Whoever may write to the directory would make this process change a file elsewhere. */
    @Test
    void lock_that_is_a_link_makes_the_directory_unusable() throws IOException {
        Path elsewhere = Files.writeString(directory.resolve("elsewhere"), "");
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rw-r--r--"));
        Path own = Files.createDirectory(directory.resolve("own"));
        Files.createSymbolicLink(own.resolve("lock"), elsewhere);

        PersistenceFixture process = changed(setup().in(own).start());

        assertThat(process.files()).isEmpty();
        assertThat(process.findings()).isNotEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(elsewhere)))
                .isEqualTo("rw-r--r--");
    }

    /** A job that cleans up, or another machine on NFS, cuts a file that is open. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void file_that_is_cut_while_it_is_open_is_given_up_and_written_anew(int pages)
            throws IOException {
        PersistenceFixture process = setup().start().list(10, object("a/x", 1)).stored();
        try (FileChannel file = FileChannel.open(process.file(), StandardOpenOption.WRITE)) {
            file.truncate((long) pages * MirrorFile.PREAMBLE);
        }

        process.list(20, object("a/y", 12));

        assertThat(process.mirror().snapshot().orElseThrow().get(new ObjectKey("a/y"))).isPresent();
        process.writer().upsert(object("a/z", 21));
        process.store();
        assertThat(process.findings()).isNotEmpty();
        process.pass(Duration.ofMinutes(1));
        process.store();
        assertThat(process.findings()).isEmpty();
        process.kill();
        assertRestored(process);
    }

    @Test
    void second_process_does_not_use_the_same_directory() {
        PersistenceFixture first = changed(setup().start());

        PersistenceFixture second = setup().at(first.now()).start().list(40, object("c/x", 31));
        second.stored();
        assertThat(second.mirror().revision()).isEqualTo(new Revision("40"));
        first.kill();
        assertRestored(first);
    }

    @Test
    void directory_that_cannot_be_used_is_tried_again() throws IOException {
        Path file = Files.createFile(directory.resolve("occupied"));
        PersistenceFixture process = setup().in(file.resolve("mirrors")).start();
        process.list(10, object("a/x", 1));
        process.stored();
        assertThat(process.mirror().snapshot()).isPresent();
        assertThat(process.findings())
                .singleElement()
                .satisfies(
                        found -> {
                            assertThat(found.kind()).isEqualTo(Finding.Kind.STORAGE);
                            assertThat(found.text()).contains("mirrors cannot be stored");
                        });

        Files.delete(file);
        process.pass(Duration.ofMinutes(1));
        process.stored();
        assertThat(process.files()).hasSize(1);
        assertThat(process.findings()).isEmpty();
    }

    @Test
    void files_do_not_exceed_their_limit() {
        PersistenceFixture process = setup().within(MemoryBudget.unlimited(), 2_000).start();
        process.list(10, object("a/x", 1));
        process.stored();
        assertThat(process.files()).hasSize(1);
        for (int revision = 11; revision < 100; revision++) {
            process.writer().upsert(object("a/" + revision, revision));
            process.store();
        }
        assertThat(process.files()).isEmpty();
        assertThat(process.mirror().revision()).isEqualTo(new Revision("99"));
    }

    @Test
    void file_is_written_anew_when_it_is_twice_as_large() throws IOException {
        PersistenceFixture process = setup().start().list(10).stored();
        String text = "x".repeat(10_000);
        long largest = 0;
        for (int revision = 11; revision < 1_000; revision++) {
            process.writer().upsert(object("a/x", "uid", revision, Map.of("text", text)));
            process.stored();
            largest = Math.max(largest, Files.size(process.file()));
        }
        assertThat(largest).isBetween(1L << 20, 4L << 20);
        process.kill();
        assertThat(setup().at(process.now()).start().mirror().revision())
                .isEqualTo(new Revision("999"));
    }

    @Test
    void file_that_cannot_be_created_is_tried_again() throws IOException {
        PersistenceFixture process = changed(setup().start());
        Path file = process.file();
        Files.delete(file);
        Path occupied = Files.createDirectories(file.resolve("occupied"));

        process.list(30, object("a/x", 30)).stored();
        assertThat(process.metric("failures")).isEqualTo(1);
        Files.delete(occupied);
        Files.delete(file);
        process.pass(Duration.ofMinutes(1));
        process.stored().kill();
        assertRestored(process);
    }

    @Test
    void defect_in_one_mirror_affects_no_other_and_is_tried_again() throws Exception {
        PersistenceFixture process = setup().start().list(10, object("a/x", 1));
        process.writer().upsert(object("a/x", 11));
        process.stores("other").join();
        process.whileStoring(
                () -> {
                    throw new IllegalStateException("defect");
                });
        process.stored();
        assertThat(process.file().getFileName().toString()).startsWith("other");

        process.whileStoring(() -> {});
        process.pass(Duration.ofMinutes(1));
        process.stored().kill();
        assertRestored(process);
    }

    /** What follows an error must not be appended after what is missing. */
    @Test
    void error_while_changes_are_appended_removes_the_file() {
        PersistenceFixture process = setup().start().list(10, object("a/x", 1)).stored();
        process.whileStoring(
                () -> {
                    throw new InternalError("test");
                });
        process.writer().upsert(object("a/y", 11));
        process.store();
        assertThat(process.files()).isEmpty();
        assertThat(process.findings())
                .extracting(Finding::text)
                .singleElement()
                .asString()
                .contains("InternalError");

        process.whileStoring(() -> {});
        process.writer().upsert(object("a/z", 12));
        process.pass(Duration.ofMinutes(1));
        process.stored().kill();
        assertRestored(process);
        assertThat(process.findings()).isEmpty();
    }

    @Test
    void disk_that_hangs_delays_no_metrics_no_mirror_and_no_end_of_the_process() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        PersistenceFixture process = setup().start().list(10, object("a/x", 1));
        process.writer().upsert(object("a/x", 11));
        process.pass(Duration.ofSeconds(5));
        process.whileStoring(
                () -> {
                    if (hanging.getCount() > 0) {
                        hanging.countDown();
                        await(released);
                    }
                });
        Thread.ofVirtual().start(process::store);
        await(hanging);

        CountDownLatch done = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            process.size();
                            process.stores("other").join();
                            done.countDown();
                        });
        boolean undisturbed = done.await(10, TimeUnit.SECONDS);
        Thread ending = Thread.ofVirtual().start(() -> process.stop(Duration.ofMillis(10)));
        boolean ended = ending.join(Duration.ofSeconds(10));
        released.countDown();
        process.kill();

        assertThat(undisturbed).isTrue();
        assertThat(ended).isTrue();
    }

    /** A mirror that was removed may have left it. */
    @Test
    void content_of_another_definition_is_never_shown() {
        PersistenceFixture process = changed(setup().start());
        ResourceType known = ServedTypes.CONFIGMAPS;
        ResourceType other =
                new ResourceType(
                        known.group(),
                        known.version(),
                        known.kind(),
                        known.plural(),
                        known.singular(),
                        known.namespaced(),
                        known.shortNames(),
                        List.of("all"));

        Mirror mirror = process.fills(other);

        assertThat(mirror.snapshot()).isEmpty();
        long era = mirror.view().era();
        assertThat((int) era).as("no history has begun and ended").isZero();
        assertThat(mirror.start(new Revision("1")))
                .isEqualTo(
                        new StartPosition.From(new Cursor(new Revision("1"), era, Cursor.UNKNOWN)));
        assertThat(process.fills(ServedTypes.CONFIGMAPS).snapshot())
                .as("the file is discarded")
                .isEmpty();
    }

    private static void await(CountDownLatch latch) {
        Unchecked.run(() -> assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue());
    }
}
