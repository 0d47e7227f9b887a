package io.kubemirror.parity;

import module java.base;

import io.kubemirror.testing.Unchecked;

/**
 * All sections of cases that run while nothing changes, from tables in the order of the rules.
 *
 * <p>A row has the rule, the requests with {@code then} between them, the lines of their headers
 * with {@code &} between them, and the intended difference. In a target, {@code [[url x]]} is
 * encoded, {@code [[token x]]} is a token with this content, and {@code [[63 x]]} is a repetition.
 * The cases of a rule are numbered in order, {@code list-watch.md#ls-1/1}, {@code
 * list-watch.md#ls-1/2}.
 */
final class StaticCases {

    private static final Path TABLES = Path.of("src/test/resources/io/kubemirror/parity");
    private static final List<String> NAMES =
            List.of(
                    "PathCases",
                    "DiscoveryCases",
                    "NegotiationCases",
                    "TransformCases",
                    "SelectorCases",
                    "ShardCases",
                    "OptionCases",
                    "ListCases",
                    "WatchCases");
    private static final Pattern REQUEST = Pattern.compile("(?:([A-Z]+) )?(/.*)");
    private static final Pattern PLACE = Pattern.compile("\\[\\[(\\w+) (.*?)]]");

    private StaticCases() {}

    static List<CaseSection> sections() {
        Map<String, Integer> counted = new HashMap<>();
        List<CaseSection> sections = new ArrayList<>();
        for (String name : NAMES) {
            Path table = TABLES.resolve(name + ".txt");
            for (String line : Unchecked.call(() -> Files.readAllLines(table))) {
                if (line.startsWith("## ")) {
                    sections.add(new CaseSection(line.substring(3), new ArrayList<>()));
                } else if (!line.isEmpty() && !line.startsWith("# ")) {
                    sections.getLast().cases().add(row(line.split(" \\| ", -1), counted));
                }
            }
        }
        return sections;
    }

    private static ParityCase row(String[] cells, Map<String, Integer> counted) {
        List<String> headers =
                cells.length > 2 && !cells[2].isEmpty()
                        ? List.of(cells[2].split(" & ", -1))
                        : List.of();
        List<RawRequest> requests =
                Stream.of(cells[1].split(" then ", -1))
                        .map(text -> request(text, headers))
                        .toList();
        return new ParityCase(
                cells[0] + "/" + counted.merge(cells[0], 1, Integer::sum),
                requests,
                cells.length > 3
                        ? Optional.of(IntendedDifferences.of(cells[3], requests.getLast().target()))
                        : Optional.empty());
    }

    private static RawRequest request(String text, List<String> headers) {
        Matcher parts = REQUEST.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(text);
        }
        String target =
                PLACE.matcher(parts.group(2))
                        .replaceAll(place -> Matcher.quoteReplacement(filled(place)));
        return new RawRequest(parts.group(1) == null ? "GET" : parts.group(1), target, headers);
    }

    private static String filled(MatchResult place) {
        String text = place.group(2);
        return switch (place.group(1)) {
            case "url" -> URLEncoder.encode(text, StandardCharsets.UTF_8);
            case "token" -> TargetValues.token(text);
            case String times -> text.repeat(Integer.parseInt(times));
        };
    }
}
