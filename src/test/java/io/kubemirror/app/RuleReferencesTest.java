package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;

/**
 * Every rule that the code cites exists in {@code list-watch.md}, and {@code rules.properties}
 * names a test for every rule there.
 */
class RuleReferencesTest {

    @Test
    void sources_cite_no_document_outside_the_repository() {
        Pattern outside = Pattern.compile("\\bspe" + "c \\d|\\bE-\\d{3}");
        Set<String> citing = new TreeSet<>();
        for (Path file : sources()) {
            outside.matcher(text(file))
                    .results()
                    .forEach(citation -> citing.add(file + ": " + citation.group()));
        }

        assertThat(citing).isEmpty();
    }

    private static final Path PAGE = Path.of("src", "docs", "list-watch.md");

    private static final Path SHOWN = Path.of("src", "test", "resources", "rules.properties");

    /** A rule of the page: its anchor and its id. */
    private static final Pattern RULE =
            Pattern.compile(
                    "^- <a id=\"([a-z]{2}-\\d+[a-z]?)\"></a>\\*\\*([A-Z]{2}-\\d+[a-z]?)\\*\\* .+$",
                    Pattern.MULTILINE);

    private static final Pattern ID = Pattern.compile("\\b([A-Z]{2})-\\d+[a-z]?\\b");

    /** One link, or several as {@code list-watch.md#ls-1, #ls-5}. */
    private static final Pattern LINKS =
            Pattern.compile("list-watch\\.md#[-\\w]+(?:(?:,|,?\\s+(?:and|to))[\\s*/]+#[-\\w]+)*");

    private static final Pattern TARGET = Pattern.compile("#([-\\w]+)");
    private static final Pattern READ = Pattern.compile(".*\\.(java|md|txt|ya?ml|js|mjs|ts|html)");

    private final String page = text(PAGE);
    private final Set<String> ids = ids();
    private final Map<String, List<String>> shown = shown();
    private final Map<String, Path> tests = tests();

    @Test
    void every_rule_has_one_id_equal_to_its_anchor() {
        assertThat(RULE.matcher(page).results())
                .hasSizeGreaterThan(250)
                .allMatch(rule -> id(rule.group(1)).equals(rule.group(2)));
        assertThat(RULE.matcher(page).results().map(rule -> rule.group(2))).doesNotHaveDuplicates();
        assertThat(cited(page)).as("ids on the page that are no rules").allMatch(ids::contains);
    }

    @Test
    void every_cited_rule_exists() {
        Set<String> families =
                ids.stream().map(id -> id.substring(0, 2)).collect(Collectors.toSet());
        Set<String> unknown = new TreeSet<>();
        for (Path file : sources()) {
            ID.matcher(text(file))
                    .results()
                    .filter(id -> families.contains(id.group(1)) && !ids.contains(id.group()))
                    .forEach(id -> unknown.add(file + ": " + id.group()));
        }

        assertThat(unknown).isEmpty();
    }

    @Test
    void every_link_to_the_rules_page_has_an_existing_anchor() {
        Set<String> anchors = DocumentsTest.anchors(page);
        Set<String> unknown = new TreeSet<>();
        for (Path file : sources()) {
            LINKS.matcher(text(file))
                    .results()
                    .flatMap(links -> TARGET.matcher(links.group()).results())
                    .filter(link -> !anchors.contains(link.group(1)))
                    .forEach(link -> unknown.add(file + ": " + link.group()));
        }

        assertThat(unknown).isEmpty();
        assertThat(Pattern.compile("\\]\\(#([-\\w]+)\\)").matcher(page).results())
                .extracting(link -> link.group(1))
                .isNotEmpty()
                .allMatch(anchors::contains);
    }

    @Test
    void every_rule_names_an_existing_test() {
        assertThat(shown.keySet()).isEqualTo(ids);
        assertThat(shown)
                .allSatisfy(
                        (id, names) ->
                                assertThat(names)
                                        .as(id)
                                        .isNotEmpty()
                                        .allSatisfy(name -> assertThat(tests).containsKey(name)));
    }

    /** A table of parity cases shows a rule only if it has a case with the id of the rule. */
    @Test
    void every_parity_table_named_by_a_rule_has_a_case_for_it() {
        Set<String> missing = new TreeSet<>();
        shown.forEach(
                (rule, names) -> {
                    String row = "^[-\\w, ]*\\b" + rule + "\\b[^|\n]*\\|";
                    String text = "\"[^\"\n]*\\b" + rule + "\\b.*\"";
                    Pattern id = Pattern.compile(row + "|" + text, Pattern.MULTILINE);
                    names.stream()
                            .filter(name -> !name.endsWith("Test"))
                            .map(tests::get)
                            .filter(Objects::nonNull)
                            .filter(file -> !id.matcher(text(file)).find())
                            .forEach(file -> missing.add(rule + " in " + file));
                });

        assertThat(missing).isEmpty();
    }

    private Set<String> ids() {
        return RULE.matcher(page).results().map(rule -> rule.group(2)).collect(Collectors.toSet());
    }

    private static List<String> cited(String text) {
        return ID.matcher(text).results().map(MatchResult::group).toList();
    }

    /** Returns the id of a rule, whose anchor is in lower case: {@code LS-9} for {@code ls-9a}. */
    private static String id(String anchor) {
        return anchor.substring(0, 2).toUpperCase(Locale.ROOT) + anchor.substring(2);
    }

    private static Map<String, List<String>> shown() {
        Map<String, List<String>> shown = new TreeMap<>();
        text(SHOWN)
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("="))
                .forEach(line -> shown.put(id(line[0]), List.of(line[1].split(" "))));
        return shown;
    }

    private static Map<String, Path> tests() {
        Map<String, Path> tests = new TreeMap<>();
        for (String root : List.of("java", "resources/io/kubemirror/parity")) {
            for (Path file : files(Path.of("src", "test", root))) {
                tests.put(file.getFileName().toString().replaceFirst("\\.\\w+$", ""), file);
            }
        }
        return tests;
    }

    private static List<Path> sources() {
        return files(Path.of("src"));
    }

    private static List<Path> files(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> READ.matcher(file.toString()).matches())
                    .filter(file -> !file.toString().contains("node_modules"))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Path file) {
        return Unchecked.call(() -> Files.readString(file, StandardCharsets.UTF_8));
    }
}
