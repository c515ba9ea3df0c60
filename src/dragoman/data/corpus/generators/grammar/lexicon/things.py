"""Things: food, drink, what is read, worn, driven, carried, and what furnishes a room."""

from dragoman.data.corpus.generators.grammar.lexicon.entries import Noun, gender, rows

# English | plural (empty: not counted) | Hindi | gender | kind
THINGS = """
apple | apples | सेब | m | fruit
mango | mangoes | आम | m | fruit
banana | bananas | केला | m | fruit
orange | oranges | संतरा | m | fruit
guava | guavas | अमरूद | m | fruit
fruit | fruits | फल | m | fruit
potato | potatoes | आलू | m | vegetable
onion | onions | प्याज़ | m | vegetable
tomato | tomatoes | टमाटर | m | vegetable
carrot | carrots | गाजर | f | vegetable
vegetable | vegetables | सब्ज़ी | f | vegetable
roti | rotis | रोटी | f | dish
egg | eggs | अंडा | m | dish
sweet | sweets | मिठाई | f | dish
samosa | samosas | समोसा | m | dish
rice | | चावल | m | dish
food | | खाना | m | dish
cheese | | पनीर | m | dish
water | | पानी | m | liquid
milk | | दूध | m | liquid
tea | | चाय | f | drink
coffee | | कॉफ़ी | f | drink
juice | | जूस | m | drink
lassi | | लस्सी | f | drink
book | books | किताब | f | reading
letter | letters | चिट्ठी | f | reading
story | stories | कहानी | f | tale
poem | poems | कविता | f | verse
newspaper | newspapers | अख़बार | m | paper
magazine | magazines | पत्रिका | f | paper
song | songs | गीत | m | song
question | questions | सवाल | m | question
answer | answers | जवाब | m | answer
lesson | lessons | पाठ | m | lesson
work | | काम | m | work
film | films | फ़िल्म | f | show
game | games | खेल | m | show
shirt | shirts | क़मीज़ | f | cloth
sari | saris | साड़ी | f | cloth
coat | coats | कोट | m | cloth
cap | caps | टोपी | f | cloth
shoe | shoes | जूता | m | cloth
sweater | sweaters | स्वेटर | m | cloth
blanket | blankets | कंबल | m | object
ring | rings | अँगूठी | f | jewel
necklace | necklaces | हार | m | jewel
watch | watches | घड़ी | f | jewel
car | cars | कार | f | vehicle
cart | carts | गाड़ी | f | craft
bicycle | bicycles | साइकिल | f | craft
bus | buses | बस | f | vehicle
boat | boats | नाव | f | craft
pen | pens | पेन | m | pen
pencil | pencils | पेंसिल | f | pen
knife | knives | चाकू | m | blade
key | keys | चाबी | f | key
bag | bags | थैला | m | container
box | boxes | डिब्बा | m | container
cup | cups | प्याला | m | vessel
plate | plates | थाली | f | vessel
bottle | bottles | बोतल | f | vessel
mirror | mirrors | शीशा | m | fragile
umbrella | umbrellas | छाता | m | fragile
rope | ropes | रस्सी | f | object
toy | toys | खिलौना | m | fragile
ball | balls | गेंद | f | object
flower | flowers | फूल | m | object
lamp | lamps | दीया | m | fragile
picture | pictures | तस्वीर | f | picture
map | maps | नक़्शा | m | picture
phone | phones | फ़ोन | m | fragile
radio | radios | रेडियो | m | fragile
ticket | tickets | टिकट | m | object
gift | gifts | तोहफ़ा | m | object
coin | coins | सिक्का | m | object
stone | stones | पत्थर | m | object
basket | baskets | टोकरी | f | container
table | tables | मेज़ | f | furniture
chair | chairs | कुर्सी | f | seat
bed | beds | पलंग | m | seat
cupboard | cupboards | अलमारी | f | furniture
door | doors | दरवाज़ा | m | opening
window | windows | खिड़की | f | opening
wall | walls | दीवार | f | wall
tree | trees | पेड़ | m | tree
"""

# Words of their own without article or number.
NAMED = """
cricket | क्रिकेट | m | sport
football | फ़ुटबॉल | m | sport
chess | शतरंज | f | sport
hockey | हॉकी | f | sport
Hindi | हिन्दी | f | language
English | अंग्रेज़ी | f | language
Sanskrit | संस्कृत | f | language
Urdu | उर्दू | f | language
music | संगीत | m | subject
mathematics | गणित | m | subject
history | इतिहास | m | subject
science | विज्ञान | m | subject
"""

things = tuple(
    Noun(english, plural, hindi, gender(letter), kind)
    for english, plural, hindi, letter, kind in rows(THINGS)
)
named = tuple(
    Noun(english, "", hindi, gender(letter), kind, inflects=False)
    for english, hindi, letter, kind in rows(NAMED)
)
