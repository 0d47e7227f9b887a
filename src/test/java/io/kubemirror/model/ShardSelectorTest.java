package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.ShardSelectorParser;
import io.kubemirror.model.ShardSelector.ShardKey;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the API server answers is in {@code ShardCases}. */
class ShardSelectorTest {

    private static final BigInteger SPACE = BigInteger.ONE.shiftLeft(Long.SIZE);

    private static KubeObject object(String namespace, String uid) {
        return KubeObjects.object(namespace + "/x", uid, 5, Map.of());
    }

    private static String range(BigInteger start, BigInteger end) {
        return "shardRange(object.metadata.uid, '%s', '%s')".formatted(bound(start), bound(end));
    }

    private static String bound(BigInteger number) {
        String digits = number.toString(16);
        return "0x" + "0".repeat(Math.max(0, 16 - digits.length())) + digits;
    }

    /** The definition of the hash, with numbers of any size. */
    private static BigInteger hash(String text) {
        BigInteger hash = new BigInteger("cbf29ce484222325", 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = hash.xor(BigInteger.valueOf(b & 0xff));
            hash = hash.multiply(BigInteger.valueOf(0x100000001b3L)).mod(SPACE);
        }
        return hash;
    }

    /** The values are those of the API server. */
    @ParameterizedTest
    @CsvSource({
        "'', cbf29ce484222325",
        "a, af63dc4c8601ec8c",
        "c0e248b0-759a-4a25-8d57-86b4d425c8a8, ''"
    })
    void hash_is_the_64_bit_fnv_1a(String text, String digits) {
        assertThat(Long.toUnsignedString(ShardSelector.hash(text)))
                .isEqualTo(hash(text).toString());
        assertThat(hash(text).toString(16)).contains(digits);
    }

    @Test
    void each_of_100_000_uids_is_in_exactly_one_of_ten_shards_and_at_its_own_bounds()
            throws Rejection {
        RandomGenerator random = new SplittableRandom(7);
        ShardSelector[] shards = new ShardSelector[10];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = ShardSelectorParser.parse(range(tenth(i), tenth(i + 1)));
        }
        int[] counts = new int[shards.length];
        for (int i = 0; i < 100_000; i++) {
            String uid = new UUID(random.nextLong(), random.nextLong()).toString();
            KubeObject pod = object("a", uid);
            BigInteger hash = hash(uid);
            int expected = hash.multiply(BigInteger.TEN).divide(SPACE).intValueExact();
            for (int shard = 0; shard < shards.length; shard++) {
                boolean inside =
                        hash.compareTo(tenth(shard)) >= 0 && hash.compareTo(tenth(shard + 1)) < 0;
                assertThat(shards[shard].matches(pod)).as(uid).isEqualTo(inside);
                counts[shard] += inside ? 1 : 0;
            }
            assertThat(counts[expected]).isPositive();
            if (i % 100 == 0) {
                verifyBounds(pod, hash);
            }
        }

        for (int count : counts) {
            assertThat(count).isBetween(9_500, 10_500);
        }
    }

    private static BigInteger tenth(int shard) {
        return SPACE.multiply(BigInteger.valueOf(shard)).divide(BigInteger.TEN);
    }

    private static void verifyBounds(KubeObject pod, BigInteger hash) throws Rejection {
        BigInteger next = hash.add(BigInteger.ONE);
        assertThat(ShardSelectorParser.parse(range(hash, next)).matches(pod)).isTrue();
        assertThat(ShardSelectorParser.parse(range(BigInteger.ZERO, hash)).matches(pod)).isFalse();
        assertThat(ShardSelectorParser.parse(range(next, SPACE)).matches(pod)).isFalse();
    }

    @Test
    void namespace_is_hashed_as_well() throws Rejection {
        String own =
                "shardRange(object.metadata.namespace,'0xaf63dc4c8601ec8c','0xaf63dc4c8601ec8d')";
        assertThat(ShardSelectorParser.parse(own).matches(object("a", "u"))).isTrue();
        assertThat(ShardSelectorParser.parse(own).matches(object("b", "u"))).isFalse();
        assertThat(ShardKey.NAMESPACE.hashOf(object("a", "u"))).isEqualTo(ShardSelector.hash("a"));
    }

    @Test
    void text_is_normalized_and_keeps_the_order_of_the_ranges() throws Rejection {
        String low = range(BigInteger.ZERO, BigInteger.ONE);
        String high = range(BigInteger.TWO, SPACE);
        assertThat(ShardSelectorParser.parse(high + "\n||" + low.replace(" ", "")).text())
                .isEqualTo(high + " || " + low);
        assertThat(ShardSelectorParser.parse("").isEverything()).isTrue();
        assertThat(ShardSelectorParser.parse(low).isEverything()).isFalse();
    }

    /** Whatever a client sends is a selector or a mistake of the client. */
    @Test
    void random_text_is_parsed_or_refused() {
        RandomGenerator random = new SplittableRandom(3);
        String[] parts =
                ("shardRange ( ) , || | ' \" '0x 0000000000000000' . object.metadata.uid - 1u 1 \\"
                                + " \n"
                                + " // \u00e9 a && 0x1 ")
                        .split(" ", -1);
        parts[parts.length - 1] = " ";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(12); length >= 0; length--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            try {
                assertThat(ShardSelectorParser.parse(text.toString()).text())
                        .contains("shardRange");
            } catch (Rejection refused) {
                assertThat(refused).hasMessageStartingWith("invalid shard selector: ");
            }
        }
    }
}
