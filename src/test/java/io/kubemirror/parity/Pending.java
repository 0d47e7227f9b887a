package io.kubemirror.parity;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Cases that wait for something to be built; their ids are the lines of {@code pending.txt}. */
final class Pending {

    private static final List<String> IDS = read();

    private Pending() {}

    static void check(String id) {
        assumeThat(IDS).as("cases that wait for something").doesNotContain(id);
    }

    static boolean contains(String id) {
        return IDS.contains(id);
    }

    private static List<String> read() {
        try (InputStream in =
                Objects.requireNonNull(Pending.class.getResourceAsStream("pending.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
