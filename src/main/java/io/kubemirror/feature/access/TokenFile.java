package io.kubemirror.feature.access;

import module java.base;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.app.config.FileFailure;
import io.kubemirror.feature.access.Reviewer.TokenHasher;
import io.kubemirror.model.Identity;
import io.kubemirror.source.Result;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Authenticates clients by the bearer tokens in a file. The file has the format of the API server's
 * static token file, {@code token,user,uid,"group1,group2"}. Changes take effect within a second.
 *
 * <p>A line that cannot be parsed is ignored, and so is a file that cannot be read; the log names
 * the line. Rejected: continuing with the previous content, which would keep a removed token valid
 * if the same edit contained a typo.
 */
final class TokenFile {

    private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Several groups are quoted; no other field may contain a comma. */
    private static final Pattern LINE =
            Pattern.compile(
                    "(?<token>[^,\"\\s]+),(?<user>[^,\"]+),(?<uid>[^,\"]*)"
                            + "(,(\"(?<quoted>[^\"]*)\"|(?<group>[^,\"]*))(,.*)?)?");

    private final Path file;
    private final TokenHasher tokenHasher;

    /** The content of the file, under the file. */
    private final LoadingCache<Path, TokenFileContent> contents;

    /** The content that was read last. Written by the loader, which never runs twice at a time. */
    private volatile TokenFileContent last;

    /** The owner of a token, stored with the digest of the token. */
    private record TokenEntry(
            @SuppressWarnings("ArrayRecordComponent") byte[] digest, Identity identity) {}

    /** The content of the file at one moment. */
    private record TokenFileContent(
            @SuppressWarnings("ArrayRecordComponent") byte[] bytes,
            List<TokenEntry> entries,
            String problem) {}

    /**
     * Reads the file.
     *
     * @param nanos a monotonic clock in nanoseconds
     * @throws InvalidConfigurationPropertyValueException if the file or one of its lines cannot be
     *     read
     */
    TokenFile(Path file, TokenHasher tokenHasher, LongSupplier nanos) {
        this.file = file;
        this.tokenHasher = tokenHasher;
        this.last = read();
        if (!last.problem().isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    AccessProperties.TOKEN_FILE,
                    file,
                    last.problem()
                            + "; each line must have the form token,user,uid,\"group1,group2\"");
        }
        this.contents =
                Caffeine.newBuilder()
                        .expireAfterWrite(PAUSE)
                        .ticker(nanos::getAsLong)
                        .build(_ -> readAgain());
        contents.put(file, last);
    }

    /** Returns the owner of a token, empty if the file does not name it. */
    Result<Optional<Identity>> authenticate(Credentials credentials) {
        String token = credentials.token();
        if (token == null) {
            return Result.of(Optional.empty());
        }
        byte[] shown = tokenHasher.of(token);
        Identity found = null;
        for (TokenEntry entry : contents.get(file).entries()) {
            // Compares all entries, so that the duration reveals nothing.
            if (MessageDigest.isEqual(shown, entry.digest())) {
                found = entry.identity();
            }
        }
        return Result.of(Optional.ofNullable(found));
    }

    private TokenFileContent readAgain() {
        TokenFileContent before = last;
        TokenFileContent content = read();
        last = content;
        if (!content.problem().isEmpty() && !content.problem().equals(before.problem())) {
            log.warn("{}; kubemirror ignores the tokens in it", content.problem());
        } else if (!Arrays.equals(content.bytes(), before.bytes())) {
            log.info("Reloaded {}: {} tokens", file, content.entries().size());
        }
        return content;
    }

    private TokenFileContent read() {
        try {
            byte[] bytes = Files.readAllBytes(file);
            List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
            String problem =
                    IntStream.range(0, lines.size())
                            .filter(i -> !LINE.matcher(lines.get(i)).matches())
                            .filter(i -> !lines.get(i).isBlank())
                            .mapToObj(i -> file + " needs token, user and uid in line " + (i + 1))
                            .findFirst()
                            .orElse("");
            List<TokenEntry> entries =
                    lines.stream()
                            .map(LINE::matcher)
                            .filter(Matcher::matches)
                            .map(this::entry)
                            .toList();
            return new TokenFileContent(bytes, entries, problem);
        } catch (IOException e) {
            String problem = "cannot read " + file + ": " + FileFailure.reason(e);
            return new TokenFileContent(new byte[0], List.of(), problem);
        }
    }

    private TokenEntry entry(Matcher fields) {
        String quoted = fields.group("quoted");
        String groups = quoted == null ? fields.group("group") : quoted;
        Stream<String> named =
                groups == null
                        ? Stream.empty()
                        : Stream.of(groups.split(",", -1))
                                .map(String::strip)
                                .filter(group -> !group.isEmpty());
        return new TokenEntry(
                tokenHasher.of(fields.group("token")),
                new Identity(
                        fields.group("user"),
                        fields.group("uid"),
                        Stream.concat(named, Stream.of(Identity.AUTHENTICATED)).toList(),
                        Map.of()));
    }
}
