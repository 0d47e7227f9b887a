package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.feature.access.Reviewer.TokenHasher;
import io.kubemirror.model.Identity;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class TokenFileTest {

    @TempDir private Path directory;
    private final AtomicLong now = new AtomicLong();

    @Test
    void token_file_format_is_that_of_the_api_server() throws Exception {
        TokenFile file =
                file(
                        "t1,anna,u1,\"dev,ops\"\n",
                        "t2,bob,u2,dev\r\n",
                        "t3,carl,u3\n",
                        " \n",
                        "t4,dora,,\"\"");

        assertThat(identify(file, "t1")).contains(known("anna", "u1", "dev", "ops"));
        assertThat(identify(file, "t2")).contains(known("bob", "u2", "dev"));
        assertThat(identify(file, "t3")).contains(known("carl", "u3"));
        assertThat(identify(file, "t4")).contains(known("dora", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "t", "t11", "T1", "anna", "t1,anna"})
    void unknown_token_is_unauthenticated(String token) throws Exception {
        assertThat(identify(file("t1,anna,u1"), token)).isEmpty();
    }

    @Test
    void token_file_changes_take_effect_within_a_second() throws Exception {
        TokenFile file = file("t1,anna,u1");
        write("t2,bob,u2");
        now.addAndGet(Duration.ofSeconds(1).toNanos());

        assertThat(identify(file, "t1")).isEmpty();
        assertThat(identify(file, "t2")).contains(known("bob", "u2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"t1", "t1,anna", ",anna,u1", "\"t1\",anna,u1", "t1,,u1", "t1 x,anna,u"})
    void invalid_token_file_line_fails_the_start_without_revealing_the_token(String line)
            throws Exception {
        write("t0,zoe,u0\n", line);

        assertThatThrownBy(() -> new TokenFile(path(), new TokenHasher(), now::get))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining(
                        ": " + path() + " needs token, user and uid in line 2; each line must");
    }

    @Test
    void missing_token_file_fails_the_start() {
        assertThatThrownBy(() -> new TokenFile(path(), new TokenHasher(), now::get))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("cannot read");
    }

    @Test
    void invalid_line_after_start_is_ignored_and_logged_once(CapturedOutput output)
            throws Exception {
        TokenFile file = file("secret1,anna,u1\nsecret2,bob,u2");
        write("secret1\nsecret2,bob,u2");
        for (int i = 0; i < 3; i++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            assertThat(identify(file, "secret1")).isEmpty();
            assertThat(identify(file, "secret2")).contains(known("bob", "u2"));
        }

        assertThat(output.getAll().split("in line 1; kubemirror ignores the tokens in it", -1))
                .hasSize(2);
        assertThat(output).doesNotContain("secret1").doesNotContain("secret2");
    }

    @Test
    void deleted_token_file_authenticates_no_token_until_restored() throws Exception {
        TokenFile file = file("t1,anna,u1");
        Files.delete(path());
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(identify(file, "t1")).isEmpty();

        write("t1,anna,u1");
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(identify(file, "t1")).contains(known("anna", "u1"));
    }

    private static Identity known(String user, String uid, String... groups) {
        List<String> all = new ArrayList<>(List.of(groups));
        all.add("system:authenticated");
        return new Identity(user, uid, all, Map.of());
    }

    private static Optional<Identity> identify(TokenFile file, String token) {
        return Results.value(file.authenticate(new Credentials(token, List.of())));
    }

    private TokenFile file(String... lines) throws Exception {
        write(lines);
        return new TokenFile(path(), new TokenHasher(), now::get);
    }

    private void write(String... lines) throws Exception {
        Files.writeString(path(), String.join("", lines));
    }

    private Path path() {
        return directory.resolve("tokens.csv");
    }
}
