package io.kubemirror.clients;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All informers, who live through the chapters of a story at the same time. */
final class Company implements AutoCloseable {

    private final Site site;
    private final Map<Member, Life> lives = new EnumMap<>(Member.class);

    private Company(Site site) {
        this.site = site;
    }

    /** Lets those whose programs are installed live through all of it. */
    static Company through(Site site) {
        Company company = new Company(site);
        for (Chapter chapter : Chapter.values()) {
            chapter.happen(site);
            if (chapter == Chapter.BEGINNING) {
                company.gather();
            }
            company.lives.values().forEach(life -> life.await(chapter));
        }
        return company;
    }

    private void gather() {
        site.awaitTruth();
        for (Member member : Member.values()) {
            if (member.isHere()) {
                lives.put(member, new Life(member));
            }
        }
    }

    /** What became of a member at the end of a chapter. */
    Scene scene(Member member, Chapter chapter) {
        return requireNonNull(requireNonNull(lives.get(member)).scenes.get(chapter));
    }

    @Override
    public void close() {
        lives.values().forEach(life -> life.informer.close());
    }

    /** A member's. */
    private final class Life {

        private final Member member;
        private final Line line = site.line();
        private final Sight sight = new Sight();
        private final Informer informer;
        private final Map<Chapter, Scene> scenes = new HashMap<>();
        private final Map<String, String> overlooked = new TreeMap<>();
        private int told;
        private int asked;
        private int answered;

        Life(Member member) {
            this.member = member;
            informer = member.join(line.url(), site.namespace(), sight);
        }

        /** Waits until it knows all that it can know, and keeps what it knows then. */
        void await(Chapter chapter) {
            if (chapter.isBlind() && member.overlooksDeletions()) {
                overlooked.putAll(informer.held());
            }
            Map<String, String> truth = site.truth();
            overlooked.keySet().removeAll(truth.keySet());
            truth.putAll(overlooked);
            sight.await(() -> sight.state().equals(truth) && informer.held().equals(truth));
            scenes.put(chapter, scene(truth));
        }

        private Scene scene(Map<String, String> known) {
            List<String> events = sight.told();
            String requests = line.asked();
            String answers = line.answered();
            Scene scene =
                    new Scene(
                            known,
                            informer.held(),
                            sight.state(),
                            List.copyOf(events.subList(told, events.size())),
                            requests.substring(asked),
                            answers.substring(answered));
            told = events.size();
            asked = requests.length();
            answered = answers.length();
            return scene;
        }
    }
}
