package io.kubemirror.deploy;

import module java.base;

import io.kubemirror.testing.Unchecked;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A parsed Dockerfile. Quotes are supported in JSON only, and variables in commands are not.
 *
 * @param stages its stages, the image last
 */
record Dockerfile(List<Stage> stages) {

    /**
     * A stage.
     *
     * @param from the base image, with options
     * @param name its name, empty if it has none
     * @param steps its instructions
     */
    record Stage(String from, String name, List<BuildStep> steps) {

        /** The steps of a kind. */
        List<BuildStep> all(String verb) {
            return steps.stream().filter(step -> step.verb().equals(verb)).toList();
        }

        /** The only step of a kind. */
        BuildStep only(String verb) {
            List<BuildStep> all = all(verb);
            if (all.size() != 1) {
                throw new AssertionError(all.size() + " times " + verb);
            }
            return all.getFirst();
        }
    }

    /**
     * An instruction.
     *
     * @param verb the instruction, such as {@code RUN}
     * @param text the arguments, on one line
     */
    record BuildStep(String verb, String text) {

        /** Whether it is written as JSON, which needs no shell. */
        boolean needsNoShell() {
            return command().startsWith("[");
        }

        /** Its words without options of the instruction, from JSON or between spaces. */
        List<String> words() {
            String command = command();
            return needsNoShell()
                    ? JsonMapper.shared()
                            .readTree(command)
                            .valueStream()
                            .map(JsonNode::asString)
                            .toList()
                    : List.of(command.split(" +", -1));
        }

        /** The value of an option, empty if it has none. */
        String option(String name) {
            String begin = "--" + name + "=";
            return text.startsWith(begin) ? text.substring(begin.length()).split(" ", -1)[0] : "";
        }

        /** The values of the option {@code --mount}, by name; empty if there is none. */
        Map<String, String> mount() {
            return Arrays.stream(option("mount").split(",", -1))
                    .filter(pair -> pair.contains("="))
                    .map(pair -> pair.split("=", 2))
                    .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        }

        private String command() {
            return text.replaceFirst("^(--\\S+ +)*(CMD +)?", "");
        }
    }

    static Dockerfile read() {
        return Unchecked.call(() -> of(Files.readString(Path.of("Dockerfile"))));
    }

    private static Dockerfile of(String text) {
        List<Stage> stages = new ArrayList<>();
        text.replaceAll("(?m)^#.*\\n", "")
                .replaceAll("\\\\\\n\\s*", "")
                .lines()
                .filter(line -> !line.isBlank())
                .forEach(line -> add(stages, line.split(" ", 2)));
        return new Dockerfile(stages);
    }

    private static void add(List<Stage> stages, String[] line) {
        if (line[0].equals("FROM")) {
            String[] parts = line[1].split(" AS ", 2);
            stages.add(new Stage(parts[0], parts.length > 1 ? parts[1] : "", new ArrayList<>()));
        } else {
            stages.getLast().steps().add(new BuildStep(line[0], line[1]));
        }
    }

    /** What is delivered. */
    Stage image() {
        return stages.getLast();
    }
}
